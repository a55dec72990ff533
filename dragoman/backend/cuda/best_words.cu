// The best words of each row of an output projection. A product makes the logits of a chunk of rows; then one block per
// row finds the k best words:
//   1. scan: one pass over the row for the log sum. Each thread also remembers the largest logit that it has seen.
//   2. best_by_threshold: these maxima give a threshold that at least k words reach and few others do. Only the parts
//      of the row where such words can be are read again.
//   3. best_one_by_one: the fallback, if k is large or too many words reach the threshold: a pass over the row per
//      word.
#include "dragoman/backend/cuda/best_words.h"

#include <algorithm>
#include <limits>

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

// The memory for logits, which limits the rows of a chunk.
constexpr std::int64_t kScratchBytes = std::int64_t{512} << 20;
constexpr int kThreads = 512;
constexpr int kAtOnce = 4;            // packs that a thread loads together
constexpr unsigned kMaxFound = 1024;  // most words that best_by_threshold compares
constexpr int kPack = Pack<float>::kCount;

// An output matrix of float32 or bfloat16; optional.
struct OptionalOutput {
  float* singles = nullptr;
  bf16* halves = nullptr;
  std::int64_t stride = 0;

  explicit OptionalOutput(const Array& x, std::int64_t stride_) : stride(stride_) {
    if (x && x.dtype() == DType::kBFloat16) {
      halves = elements<bf16>(x);
    } else if (x) {
      singles = elements<float>(x);
    }
  }
  __device__ bool wanted() const { return singles != nullptr || halves != nullptr; }
  __device__ void put(std::int64_t r, std::int64_t column, float x) const {
    if (singles != nullptr) {
      singles[r * stride + column] = x;
    } else {
      halves[r * stride + column] = __float2bfloat16_rn(x);
    }
  }
};

// What all rows of a chunk share.
struct WordRows {
  const float* logits;
  std::int64_t stride;
  const float* bias;  // as wide as a row of logits; null if there is none
  int V, k;
  Matrix<std::int32_t> ids;
  OptionalOutput best, log_sums, all, asked_logits;
  const std::int32_t* asked;  // for each row, from row 0 of the first chunk on; null if no word is asked for
  std::int64_t first_row;     // of the chunk
};

// A word and its logit as one number, so that the better word has the larger number: the logit's bits, reordered so
// that they compare like the float, then the inverted id, since of equal logits the lower id is better. 0 is no word.
using Rank = unsigned long long;

__device__ Rank rank_of(float logit, int id) {
  const unsigned bits = __float_as_uint(logit + 0.0f);  // makes -0 a +0, since the two are equal
  const unsigned order = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
  return static_cast<Rank>(order) << 32 | ~static_cast<unsigned>(id);
}

// Writes the word at this place of the row's list of best words.
__device__ void write_best(const WordRows& rows, int place, Rank rank) {
  const std::int64_t r = rows.first_row + blockIdx.x;
  const auto order = static_cast<unsigned>(rank >> 32);
  const float logit = __uint_as_float(order >> 31 != 0 ? order ^ 0x80000000u : ~order);
  rows.ids.row(r)[place] = rank == 0 ? kNoWord : static_cast<std::int32_t>(~static_cast<unsigned>(rank));
  rows.best.put(r, place, rank == 0 ? -INFINITY : logit);
}

// Loads the stored logits of words [4 i, 4 i + 4), ...
__device__ void load_logits(const WordRows& rows, int i, float* x) {
  const Pack<float> pack = reinterpret_cast<const Pack<float>*>(rows.logits + blockIdx.x * rows.stride)[i];
#pragma unroll
  for (int j = 0; j < kPack; ++j) x[j] = pack.at[j];
}
// ... and completes them: adds the bias, and puts -infinity beyond the vocabulary. Two functions, so that several loads
// can be under way before the first result is used.
__device__ void finish_logits(const WordRows& rows, int i, float* x) {
  if (rows.bias != nullptr) {
    const Pack<float> bias = reinterpret_cast<const Pack<float>*>(rows.bias)[i];
#pragma unroll
    for (int j = 0; j < kPack; ++j) x[j] += bias.at[j];
  }
  if (i * kPack + kPack > rows.V) {
#pragma unroll
    for (int j = 0; j < kPack; ++j) x[j] = i * kPack + j < rows.V ? x[j] : -INFINITY;
  }
}

// Calls found(logit, id) for the words of pack i that may be among the best: not PAD or BOS, and not -infinity or NaN.
template <class Function>
__device__ void for_words(const WordRows& rows, int i, const Function& found) {
  float x[kPack];
  load_logits(rows, i, x);
  finish_logits(rows, i, x);
#pragma unroll
  for (int j = 0; j < kPack; ++j) {
    const int id = i * kPack + j;
    if (id >= kFirstWord && x[j] > -INFINITY) found(x[j], id);
  }
}

// Pass 1, over this thread's part of the row: packs threadIdx.x, threadIdx.x + kThreads, ... Adds all logits to the
// sum. Returns the largest logit of the words that may be among the best.
__device__ float scan(const WordRows& rows, int packs, ExpSum& sum) {
  ExpSum reserved;  // PAD and BOS: in the sum, but not in the maximum that is returned
  for (int first = threadIdx.x; first < packs; first += kAtOnce * kThreads) {
    float x[kAtOnce * kPack];
#pragma unroll
    for (int j = 0; j < kAtOnce * kPack; ++j) x[j] = -INFINITY;
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      if (first + u * kThreads < packs) load_logits(rows, first + u * kThreads, x + u * kPack);
    }
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      if (first + u * kThreads < packs) finish_logits(rows, first + u * kThreads, x + u * kPack);
    }
    if (rows.all.wanted()) {
#pragma unroll
      for (int j = 0; j < kAtOnce * kPack; ++j) {
        const int id = (first + j / kPack * kThreads) * kPack + j % kPack;
        if (id < rows.V) rows.all.put(rows.first_row + blockIdx.x, id, x[j]);
      }
    }
    if (first == 0) {
      static_assert(kFirstWord == 2);
      reserved.add({x[0], x[1]});
      x[0] = x[1] = -INFINITY;
    }
    sum.add(x);
  }
  const float largest = sum.maximum;
  const float maximum = fmaxf(sum.maximum, reserved.maximum);
  sum = {maximum, sum.sum * sum.relative_to(maximum) + reserved.sum * reserved.relative_to(maximum)};
  return largest;
}

// Shared memory of pass 2.
struct Found {
  float largest[kThreads];    // the largest logit of each thread's part of the row
  float group[kThreads / 4];  // the largest logit of each group of threads; there are 32 or kThreads / 4 groups
  int threads[kThreads];      // the threads (`thread_count` of them) whose part has a word that reaches the threshold
  Rank ranks[kMaxFound];      // the words (`count` of them) that reach the threshold
  float threshold;
  unsigned thread_count, count;
};

// Pass 2: the k best words of a row, without reading all of it again. Returns false if more than kMaxFound words reach
// the threshold.
//   a. Each group of threads takes the maximum of its threads. (Thread t belongs to group t % kGroups.)
//   b. The k-th largest of these maxima is the threshold: at least k words reach it, and usually few more.
//   c. The threads whose own maximum reaches the threshold are listed.
//   d. All threads together read the parts of the listed threads again and collect the words that reach the threshold.
//   e. The collected words are ranked by counting the better ones, and the k best are written.
template <int kGroups>
__device__ bool best_by_threshold(const WordRows& rows, int packs, float largest, Found& found) {
  // a.
  found.largest[threadIdx.x] = largest;
  if (threadIdx.x == 0) found.thread_count = found.count = 0;
  __syncthreads();
  float group = -INFINITY;
  if (threadIdx.x < kGroups) {
    for (int t = threadIdx.x; t < kThreads; t += kGroups) group = fmaxf(group, found.largest[t]);
    found.group[threadIdx.x] = group;
  }
  __syncthreads();
  // b.
  if (threadIdx.x < kGroups) {
    int before = 0;
    for (int g = 0; g < kGroups; ++g) {
      const float other = found.group[g];
      before += other > group || (other == group && g < threadIdx.x);
    }
    if (before == rows.k - 1) found.threshold = group;
  }
  __syncthreads();
  // c.
  const float threshold = found.threshold;
  if (largest > -INFINITY && largest >= threshold) found.threads[atomicAdd(&found.thread_count, 1u)] = threadIdx.x;
  __syncthreads();
  // d.
  const int each = (packs + kThreads - 1) / kThreads, looked_at = static_cast<int>(found.thread_count) * each;
  for (int n = threadIdx.x; n < looked_at; n += kThreads) {
    const int i = found.threads[n / each] + n % each * kThreads;
    if (i >= packs) continue;
    for_words(rows, i, [&](float logit, int id) {
      if (logit < threshold) return;
      const unsigned at = atomicAdd(&found.count, 1u);
      if (at < kMaxFound) found.ranks[at] = rank_of(logit, id);
    });
  }
  __syncthreads();
  // e.
  const int count = static_cast<int>(found.count);
  if (found.count > kMaxFound) return false;
  for (int c = threadIdx.x; c < count; c += kThreads) {
    const Rank mine = found.ranks[c];
    int better = 0;
    for (int other = 0; other < count; ++other) better += found.ranks[other] > mine;
    if (better < rows.k) write_best(rows, better, mine);
  }
  for (int place = count + static_cast<int>(threadIdx.x); place < rows.k; place += kThreads) write_best(rows, place, 0);
  return true;
}

// Pass 3: any number of best words, each by another pass over the whole row, which finds the best word below the last.
__device__ void best_one_by_one(const WordRows& rows, int packs, Rank* shared) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  Rank last = ~Rank{0};
  for (int place = 0; place < rows.k; ++place) {
    Rank best = 0;
    for (int i = threadIdx.x; i < packs && last > 0; i += kThreads) {
      for_words(rows, i, [&](float logit, int id) {
        const Rank rank = rank_of(logit, id);
        if (rank < last && rank > best) best = rank;
      });
    }
    best = warp_max(best);
    __syncthreads();
    if (lane == 0) shared[warp] = best;
    __syncthreads();
    last = warp_max(lane < kThreads / kWarp ? shared[lane] : Rank{0});
    if (threadIdx.x == 0) write_best(rows, place, last);
  }
}

// The logit of a word of this block's row; -infinity if it is none of the V.
__device__ float logit_of(const WordRows& rows, int word) {
  if (word < 0 || word >= rows.V) return -INFINITY;
  const float logit = rows.logits[blockIdx.x * rows.stride + word];
  return rows.bias != nullptr ? logit + rows.bias[word] : logit;
}

// One block per row. The bits of a row do not depend on the other rows: how its sum is split depends on V alone.
template <int kGroups>
__global__ void __launch_bounds__(kThreads, 3) best_words_kernel(WordRows rows) {
  __shared__ float2 shared_sums[kThreads / kWarp];
  __shared__ Found found;
  const int packs = (rows.V + kPack - 1) / kPack;
  const std::int64_t r = rows.first_row + blockIdx.x;
  // Loaded here, so that it has arrived when it is used, after the scan.
  const int asked = rows.asked != nullptr && threadIdx.x == 0 ? rows.asked[r] : kNoWord;
  ExpSum sum;
  const float largest = scan(rows, packs, sum);
  sum = block_join(sum, shared_sums);
  if (threadIdx.x == 0) {
    rows.log_sums.put(r, 0, sum.log());
    if (rows.asked != nullptr) rows.asked_logits.put(r, 0, logit_of(rows, asked));
  }
  if (rows.k > kGroups / 2 || !best_by_threshold<kGroups>(rows, packs, largest, found)) {
    __syncthreads();
    best_one_by_one(rows, packs, found.ranks);
  }
}

}  // namespace

void WordRanking::do_best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const {
  require<ShapeError>(E.rows() < std::numeric_limits<std::int32_t>::max() - kThreads * kPack * kAtOnce,
                      "best_words: a vocabulary of ", E.rows(), " words is too large for a CUDA device");
  const Array words = E.including_padding_rows();  // products of round sizes are faster
  const std::int64_t R = Y.rows(), V = E.rows(), width = divide_up(words.rows(), kPack) * kPack;
  const std::int64_t chunk =
      std::max<std::int64_t>(1, kScratchBytes / (width * static_cast<std::int64_t>(sizeof(float))));
  const ArenaScope scratch(arena());
  const Array wide = empty({std::min(R, chunk), width}, DType::kFloat32);
  WordRows rows{.logits = elements<const float>(wide),
                .stride = width,
                .bias = nullptr,
                .V = static_cast<int>(V),
                .k = static_cast<int>(best.ids.cols()),
                .ids = matrix<std::int32_t>(best.ids),
                .best = OptionalOutput(best.logits, best.logits.row_stride()),
                .log_sums = OptionalOutput(best.log_sums, 1),
                .all = OptionalOutput(best.all, best.all.row_stride()),
                .asked_logits = OptionalOutput(best.asked_logits, 1),
                .asked = elements<const std::int32_t>(best.asked),
                .first_row = 0};
  if (b) {
    const Array bias = empty({width}, DType::kFloat32);
    scaled(b, 1.0, Sink::overwrite(bias.columns(0, V)));
    rows.bias = elements<const float>(bias);
  }
  for (rows.first_row = 0; rows.first_row < R; rows.first_row += chunk) {
    const std::int64_t height = std::min(chunk, R - rows.first_row);
    const Array logits = wide.row_range(0, height).columns(0, words.rows());
    matmul(Y.row_range(rows.first_row, height), Transpose::kNo, words, Transpose::kYes, Sink::overwrite(logits));
    // At least twice as many groups as best words: then the threshold is only a little below the k-th best logit.
    const auto kernel = rows.k <= 16 ? best_words_kernel<32> : best_words_kernel<128>;
    launch(*this, kernel, height, kThreads, 0, rows);
  }
}

void WordRanking::do_best_words_packed(const Array& Y, const PackedMatrix& E, const Array& b,
                                       const BestWords& best) const {
  const ArenaScope scratch(arena());
  const Array plain = empty({E.out, E.in}, E.panels.dtype());
  transpose(E.panels, Sink::overwrite(plain));
  best_words(Y, plain, b, best);
}

}  // namespace dragoman::cuda
