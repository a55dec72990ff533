// Attention without tensor cores, for float32, for heads wider than a tile, and for rows that cannot be read 16 bytes
// at a time. Also the kernels that write the weights.
//
// A warp owns one row of one head. This row is a query, and the warp goes through the keys. In key_gradients_plainly it
// is a key, and the warp goes through the queries. It takes 32 of them at a time:
//   1. Lane j computes the product of the warp's row with row j of these 32. All warps of a block need the same 32
//      rows, which therefore pass through shared memory, in slabs of 64 columns (row_product).
//   2. The lanes turn their products into weights, or into gradients of scores.
//   3. The warp goes through the 32 rows once more and adds weight times row to its result. Now lane l owns the columns
//      l, l + 32, l + 64 ... and the weights come from the other lanes by shuffles.
//
// Shared memory of a block:  float slab[32 rows][64 columns + 1 of padding]
#pragma once

#include "dragoman/backend/cuda/attention/problem.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kPlainWarps = 8;                          // per block; they have neighbouring rows of a sentence and head
constexpr int kPlainRegisters = 8;                      // columns per lane
constexpr int kPlainColumns = kPlainRegisters * kWarp;  // columns per block; a wider head takes several blocks
constexpr int kSlab = 64;                               // columns in shared memory at a time
constexpr int kSlabStride = kSlab + 1;                  // odd, so that 32 rows lie in different banks

// What this warp computes: row number `row` of its sentence, columns from first_column on. The block's rows begin with
// first_row. `tiles` is the number of blocks that share the rows of a sentence and head.
struct PlainWork {
  int sentence, head, first_row, row, first_column;

  __device__ PlainWork(const Problem& problem, int tiles) {
    const unsigned place = blockIdx.x / tiles;
    sentence = place / problem.h;
    head = place % problem.h;
    first_row = blockIdx.x % tiles * kPlainWarps;
    row = first_row + threadIdx.x / kWarp;
    first_column = blockIdx.y * kPlainColumns;
  }
};

// Returns to each lane the product of row x with row number `lane` of Y. Y has `rows` rows, and only the first `rows`
// lanes get a valid number. All warps of the block must call this together, with the same Y.
template <class T>
__device__ float row_product(const T* x, const T* Y, std::int64_t stride, int rows, int d) {
  __shared__ float slab[kWarp * kSlabStride];
  float sum = 0;
  for (int begin = 0; begin < d; begin += kSlab) {
    const int width = min(kSlab, d - begin);
    __syncthreads();
    for (int i = threadIdx.x; i < rows * kSlab; i += blockDim.x) {
      const int row = i / kSlab, column = i % kSlab;
      if (column < width) slab[row * kSlabStride + column] = to_float(Y[row * stride + begin + column]);
    }
    __syncthreads();
    for (int c = 0; c < width; ++c) sum += to_float(x[begin + c]) * slab[lane() * kSlabStride + c];
  }
  return sum;
}

// to += factor * row, for the columns that this lane owns.
template <class T>
__device__ void add_columns(float factor, const T* row, int first_column, int d, float (&to)[kPlainRegisters]) {
#pragma unroll
  for (int r = 0; r < kPlainRegisters; ++r) {
    const int column = first_column + r * kWarp + lane();
    if (column < d) to[r] += factor * to_float(row[column]);
  }
}

// Writes factor * x to the columns that this lane owns.
template <class T>
__device__ void put_columns(const float (&x)[kPlainRegisters], float factor, std::int64_t row, int head,
                            int first_column, int d, const SinkRows<T>& to) {
#pragma unroll
  for (int r = 0; r < kPlainRegisters; ++r) {
    const int column = first_column + r * kWarp + lane();
    if (column < d) to.put(row, head * d + column, x[r] * factor);
  }
}

// Computes O and log_sums. Each warp has one query, with a running softmax as in forward.cuh.
template <class T>
__global__ void attend_plainly(Problem problem, Forward<T> arrays, int tiles) {
  const PlainWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  if (work.first_row >= sentence.n_q) return;
  const int d_k = problem.d_k, d_v = problem.d_v;
  const int query = min(work.row, sentence.n_q - 1);  // warps without a row of their own help to load
  const std::int64_t row = sentence.first_query + query;
  const int end = problem.sight.end_key(work.first_row + kPlainWarps - 1, sentence.n_k);
  float out[kPlainRegisters] = {}, maximum = -INFINITY, sum = 0;
  for (int begin = problem.sight.first_key(work.first_row); begin < end; begin += kWarp) {
    const int keys = min(kWarp, end - begin), key = begin + lane();
    const std::int64_t key_row = sentence.first_key + begin;
    const float product = row_product(arrays.Q.row(row) + work.head * d_k, arrays.K.row(key_row) + work.head * d_k,
                                      arrays.K.stride, keys, d_k);
    const bool seen = lane() < keys && problem.sight.sees(query, key);
    const float score = seen ? product * problem.scale : -INFINITY;
    if (!__any_sync(kAllLanes, seen)) continue;
    const float new_maximum = fmaxf(maximum, warp_max(score));
    const float correction = expf(maximum - new_maximum);
    maximum = new_maximum;
    float weight = expf(score - new_maximum);
    sum = sum * correction + weight;
    if (seen) weight *= weight_factor(problem.dropout, row, work.head * sentence.n_k + key);
    for (float& x : out) x *= correction;
    for (int j = 0; j < keys; ++j) {
      add_columns(__shfl_sync(kAllLanes, weight, j), arrays.V.row(key_row + j) + work.head * d_v, work.first_column,
                  d_v, out);
    }
  }
  if (work.row >= sentence.n_q) return;
  sum = warp_sum(sum);
  put_columns(out, sum > 0 ? 1 / sum : 0.0f, row, work.head, work.first_column, d_v,
              SinkRows<T>{arrays.O.data, arrays.O.stride, false});
  if (work.first_column == 0 && lane() == 0) {
    arrays.log_sums.row(row)[work.head] = sum > 0 ? maximum + logf(sum) : -INFINITY;
  }
}

// One weight after dropout, and the gradient of its score; both are 0 for a key that the query does not see. They are
// computed from `product` = query . key, `d_product` = dO . value and `delta` = dO . O, as in backward.cuh. `row` and
// `channel` select the random number for dropout.
struct PlainWeight {
  float dropped = 0, d_score = 0;

  __device__ PlainWeight(const Problem& problem, std::int64_t row, unsigned channel, bool seen, float product,
                         float d_product, float log_sum, float delta) {
    if (!seen) return;
    const float weight = expf(product * problem.scale - log_sum), factor = weight_factor(problem.dropout, row, channel);
    dropped = weight * factor;
    d_score = weight * (factor * d_product - delta);
  }
};

// Computes dQ and the deltas. Each warp has one query.
template <class T>
__global__ void query_gradients_plainly(Problem problem, Backward<T> arrays, int tiles) {
  const PlainWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  if (work.first_row >= sentence.n_q) return;
  const int head = work.head, d_k = problem.d_k, d_v = problem.d_v;
  const int query = min(work.row, sentence.n_q - 1);
  const std::int64_t row = sentence.first_query + query;
  const T *q = arrays.Q.row(row) + head * d_k, *d_out = arrays.dO.row(row) + head * d_v,
          *out = arrays.O.row(row) + head * d_v;
  float delta = 0;
  for (int c = lane(); c < d_v; c += kWarp) delta += to_float(d_out[c]) * to_float(out[c]);
  delta = warp_sum(delta);
  if (work.row < sentence.n_q && work.first_column == 0 && lane() == 0) arrays.deltas.row(row)[head] = delta;
  if (arrays.dQ.data == nullptr) return;

  const float log_sum = arrays.log_sums.row(row)[head];
  const int end = problem.sight.end_key(work.first_row + kPlainWarps - 1, sentence.n_k);
  float dQ[kPlainRegisters] = {};
  for (int begin = problem.sight.first_key(work.first_row); begin < end; begin += kWarp) {
    const int keys = min(kWarp, end - begin), key = begin + lane();
    const std::int64_t key_row = sentence.first_key + begin;
    const T* const K = arrays.K.row(key_row) + head * d_k;
    const float product = row_product(q, K, arrays.K.stride, keys, d_k);
    const float d_product = row_product(d_out, arrays.V.row(key_row) + head * d_v, arrays.V.stride, keys, d_v);
    const bool seen = lane() < keys && problem.sight.sees(query, key);
    const PlainWeight weight(problem, row, head * sentence.n_k + key, seen, product, d_product, log_sum, delta);
    for (int j = 0; j < keys; ++j) {
      add_columns(__shfl_sync(kAllLanes, weight.d_score, j), K + j * arrays.K.stride, work.first_column, d_k, dQ);
    }
  }
  if (work.row >= sentence.n_q) return;
  put_columns(dQ, problem.scale, row, head, work.first_column, d_k, arrays.dQ);
}

// Computes dK and dV. Each warp has one key. Runs after query_gradients_plainly, which writes the deltas.
template <class T>
__global__ void key_gradients_plainly(Problem problem, Backward<T> arrays, int tiles) {
  const PlainWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  if (work.first_row >= sentence.n_k) return;
  const int head = work.head, d_k = problem.d_k, d_v = problem.d_v;
  const int key = min(work.row, sentence.n_k - 1);
  const std::int64_t row = sentence.first_key + key;
  const T *k = arrays.K.row(row) + head * d_k, *v = arrays.V.row(row) + head * d_v;
  const int end = problem.sight.end_query(work.first_row + kPlainWarps - 1, sentence.n_q);
  float dK[kPlainRegisters] = {}, dV[kPlainRegisters] = {};
  for (int begin = problem.sight.first_query(work.first_row); begin < end; begin += kWarp) {
    const int queries = min(kWarp, end - begin), query = begin + lane();
    const std::int64_t query_row = sentence.first_query + begin;
    const T *const Q = arrays.Q.row(query_row) + head * d_k, *const dO = arrays.dO.row(query_row) + head * d_v;
    const float product = row_product(k, Q, arrays.Q.stride, queries, d_k);
    const float d_product = row_product(v, dO, arrays.dO.stride, queries, d_v);
    const bool seen = lane() < queries && problem.sight.sees(query, key);
    const std::int64_t own_row = query_row + min(lane(), queries - 1);
    const PlainWeight weight(problem, own_row, head * sentence.n_k + key, seen, product, d_product,
                             arrays.log_sums.row(own_row)[head], arrays.deltas.row(own_row)[head]);
    for (int i = 0; i < queries; ++i) {
      add_columns(__shfl_sync(kAllLanes, weight.dropped, i), dO + i * arrays.dO.stride, work.first_column, d_v, dV);
      add_columns(__shfl_sync(kAllLanes, weight.d_score, i), Q + i * arrays.Q.stride, work.first_column, d_k, dK);
    }
  }
  if (work.row >= sentence.n_k) return;
  if (arrays.dK.data != nullptr) put_columns(dK, problem.scale, row, head, work.first_column, d_k, arrays.dK);
  if (arrays.dV.data != nullptr) put_columns(dV, 1.0f, row, head, work.first_column, d_v, arrays.dV);
}

// starts[b] becomes the place where the weights of sentence b begin: a running sum of h n_q n_k over the sentences.
// Runs as one warp, a sentence per lane.
__global__ void find_weights(Problem problem, int B, std::int64_t* starts) {
  std::int64_t before = 0;
  for (int first = 0; first < B; first += kWarp) {
    const int b = first + lane();
    std::int64_t count = 0;
    if (b < B) {
      const Sentence sentence(problem, b);
      count = static_cast<std::int64_t>(problem.h) * sentence.n_q * sentence.n_k;
    }
    std::int64_t upto = count;
    for (int step = 1; step < kWarp; step *= 2) {
      const std::int64_t left = __shfl_up_sync(kAllLanes, upto, step);
      if (lane() >= step) upto += left;
    }
    if (b < B) starts[b] = before + upto - count;
    before += __shfl_sync(kAllLanes, upto, kWarp - 1);
  }
}

// Writes the weights before dropout, [h, n_q, n_k] for each sentence, from the log_sums of the forward pass.
template <class T>
__global__ void write_weights(Problem problem, Forward<T> arrays, int tiles, const std::int64_t* starts,
                              float* weights) {
  const PlainWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  if (work.first_row >= sentence.n_q) return;
  const int query = min(work.row, sentence.n_q - 1), n_k = sentence.n_k;
  const std::int64_t row = sentence.first_query + query;
  const float log_sum = arrays.log_sums.row(row)[work.head];
  float* const to =
      weights + starts[work.sentence] + (static_cast<std::int64_t>(work.head) * sentence.n_q + query) * n_k;
  for (int begin = 0; begin < n_k; begin += kWarp) {
    const int keys = min(kWarp, n_k - begin), key = begin + lane();
    const float product = row_product(arrays.Q.row(row) + work.head * problem.d_k,
                                      arrays.K.row(sentence.first_key + begin) + work.head * problem.d_k,
                                      arrays.K.stride, keys, problem.d_k);
    if (work.row >= sentence.n_q || lane() >= keys) continue;
    to[key] = problem.sight.sees(query, key) ? expf(product * problem.scale - log_sum) : 0.0f;
  }
}

}  // namespace

}  // namespace dragoman::cuda
