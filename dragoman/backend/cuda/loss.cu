// Output projection and label-smoothed cross-entropy. For each chunk of rows: a product makes the logits, one kernel
// turns them into losses and (in place) into their gradients, and further products make dY, dE and db from these.
#include "dragoman/backend/cuda/loss.h"

#include <cuda_pipeline.h>

#include <algorithm>

#include "dragoman/backend/absent_words.h"
#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

// Rows of the logits start at multiples of this many elements, so that they can be read as packs.
constexpr std::int64_t kRowUnit = 8;
// A row of up to this many bytes stays in shared memory between the passes; a longer one is read twice. Three rows of
// the base model's vocabulary fit into the shared memory of a multiprocessor, so that one can be loaded while the
// others are worked on.
constexpr std::size_t kKeptBytes = 96 << 10;
constexpr int kThreads = 512, kFewThreads = 128;

// What all rows of a chunk share.
template <class T>
struct LossRows {
  T* logits;  // overwritten with their gradients
  std::int64_t stride;
  const T* bias;  // as wide as a row of logits; null if there is none
  const std::int32_t* targets;
  float *losses, *nll;
  int V, width;  // number of words, and of elements in a row of logits: elements from V on get zero gradients
  const std::int32_t* absent;  // the number of absent words (absent_words.h); null if there is no bias
  LabelSmoothing smoothing;
  float weight;    // factor of the gradients
  bool gradients;  // whether to compute them
};

// The logits of pack i, with the bias. The pack is passed by value so that it is loaded by one instruction.
template <class T>
__device__ void read_logits(const LossRows<T>& rows, Pack<T> pack, int i, float (&x)[Pack<T>::kCount]) {
#pragma unroll
  for (int j = 0; j < Pack<T>::kCount; ++j) x[j] = to_float(pack.at[j]);
  if (rows.bias == nullptr) return;
  const Pack<T> bias = reinterpret_cast<const Pack<T>*>(rows.bias)[i];
#pragma unroll
  for (int j = 0; j < Pack<T>::kCount; ++j) x[j] += to_float(bias.at[j]);
}

template <class T>
__device__ Pack<T> rounded(const float (&x)[Pack<T>::kCount]) {
  Pack<T> y;
  if constexpr (std::is_same_v<T, bf16>) {
#pragma unroll
    for (int j = 0; j < Pack<T>::kCount; j += 2) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(x[j], x[j + 1]);  // one instruction
      y.at[j] = pair.x;
      y.at[j + 1] = pair.y;
    }
  } else {
#pragma unroll
    for (int j = 0; j < Pack<T>::kCount; ++j) y.at[j] = x[j];
  }
  return y;
}

// The smoothed probabilities q of the target and of each other word, of those that are not absent.
struct Smoothed {
  int present;
  double on_target, on_others;
};
template <class T>
__device__ Smoothed smoothed(const LossRows<T>& rows) {
  const int present = rows.V - (rows.absent == nullptr ? 0 : *rows.absent);
  return {present, rows.smoothing.on_target(present), rows.smoothing.on_others(present)};
}

// Counts the absent words. One block.
template <class T>
__global__ void __launch_bounds__(kThreads) count_absent(const T* bias, int V, std::int32_t* absent) {
  __shared__ float counts[kThreads / kWarp];
  float count = 0;
  for (int v = threadIdx.x; v < V; v += blockDim.x) count += to_float(bias[v]) < kAbsentBias ? 1.0f : 0.0f;
  count = block_sum(count, counts);
  if (threadIdx.x == 0) *absent = static_cast<std::int32_t>(count);
}

// Writes the cross-entropy of a row, -sum_v q_v log p_v = (q_t - q_other) nll_t + q_other sum_v nll_v, and nll_t
// itself, where nll_v = log_sum - logit_v. `total` is the sum of the logits of words that are not absent.
template <class T>
__device__ void write_losses(const LossRows<T>& rows, const Smoothed& q, std::int64_t r, float target_logit,
                             float log_sum, float total) {
  const double target_nll = static_cast<double>(log_sum) - static_cast<double>(target_logit);
  const double all_nll = static_cast<double>(log_sum) * q.present - static_cast<double>(total);
  rows.losses[r] = static_cast<float>((q.on_target - q.on_others) * target_nll + q.on_others * all_nll);
  rows.nll[r] = static_cast<float>(target_nll);
}

// One block per row. Thread i owns packs i, i + threads, i + 2 threads ... of the row in every pass.
//
// Shared memory:  | kept: the row's logits, ceil(V / kCount) packs (only if kKept) | shared_sums | shared_totals |
//
//   1. Copy the row to shared memory, if kKept. A thread reads only packs that it copied itself: no barrier is needed.
//   2. Sum e^x (relative to the maximum) and x over the row; join the threads; thread 0 writes the losses.
//   3. If gradients are wanted: replace each logit x by (softmax(x) - q) weight.
// The padding after a row's last word may be read but does not count; its gradients become zero.
template <class T, bool kKept>
__global__ void __launch_bounds__(kThreads, 3) cross_entropy_kernel(LossRows<T> rows) {
  constexpr int kCount = Pack<T>::kCount;
  extern __shared__ uint4 kept_packs[];
  __shared__ float2 shared_sums[kThreads / kWarp];
  __shared__ float shared_totals[kThreads / kWarp];
  Pack<T>* kept = reinterpret_cast<Pack<T>*>(kept_packs);
  const std::int64_t r = blockIdx.x;
  const int target = rows.targets[r], V = rows.V, whole = V / kCount, all = (V + kCount - 1) / kCount;
  T* row = rows.logits + r * rows.stride;
  Pack<T>* packs = reinterpret_cast<Pack<T>*>(row);

  if (target < 0) {
    if (threadIdx.x == 0) rows.losses[r] = rows.nll[r] = 0.0f;
    const float zeros[kCount] = {};
    for (int i = threadIdx.x; i < rows.width / kCount && rows.gradients; i += blockDim.x) packs[i] = rounded<T>(zeros);
    return;
  }
  // Pass 1.
  if constexpr (kKept) {
    for (int i = threadIdx.x; i < all; i += blockDim.x) __pipeline_memcpy_async(kept + i, packs + i, 16);
    __pipeline_commit();
  }
  float target_logit = target < V ? to_float(row[target]) : NAN;
  if (rows.bias != nullptr && target < V) target_logit += to_float(rows.bias[target]);
  if constexpr (kKept) __pipeline_wait_prior(0);
  const Pack<T>* source = kKept ? kept : packs;

  // Pass 2: whole packs first, then the pack in which the words end.
  ExpSum sum;
  float total = 0;  // sum of the logits
  float x[kCount];
  for (int i = threadIdx.x; i < whole; i += blockDim.x) {
    read_logits(rows, source[i], i, x);
    sum.add(x);
#pragma unroll
    for (int j = 0; j < kCount; ++j) total += x[j] < kAbsentBias ? 0.0f : x[j];
  }
  if (whole < all && threadIdx.x == whole % blockDim.x) {
    read_logits(rows, source[whole], whole, x);
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const bool there = whole * kCount + j < V;
      total += there && !(x[j] < kAbsentBias) ? x[j] : 0.0f;
      if (!there) x[j] = -INFINITY;
    }
    sum.add(x);
  }
  const float log_sum = block_join(sum, shared_sums).log();
  total = block_sum(total, shared_totals);
  const Smoothed q = smoothed(rows);
  if (threadIdx.x == 0) write_losses(rows, q, r, target_logit, log_sum, total);
  if (!rows.gradients) return;

  // Pass 3.
  const float base = log_sum * ExpSum::kLog2E, offset = static_cast<float>(q.on_others) * rows.weight;
  const float at_target = static_cast<float>(q.on_target - q.on_others) * rows.weight;
  for (int i = threadIdx.x; i < all; i += blockDim.x) {
    read_logits(rows, source[i], i, x);
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const float gradient = power_of_two(x[j] * ExpSum::kLog2E - base) * rows.weight - offset;
      x[j] = x[j] < kAbsentBias ? 0.0f : gradient;
    }
    if (i == target / kCount) {
#pragma unroll
      for (int j = 0; j < kCount; ++j) x[j] -= j == target % kCount ? at_target : 0.0f;
    }
    if (i == whole) {
#pragma unroll
      for (int j = 0; j < kCount; ++j) x[j] = i * kCount + j < V ? x[j] : 0.0f;
    }
    packs[i] = rounded<T>(x);
  }
  const float zeros[kCount] = {};
  for (int i = all + threadIdx.x; i < rows.width / kCount; i += blockDim.x) packs[i] = rounded<T>(zeros);
}

template <class T>
void launch_rows(const Context& on, const LossRows<T>& rows, std::int64_t count) {
  const std::size_t bytes = divide_up(rows.V, Pack<T>::kCount) * sizeof(Pack<T>);
  const int threads = rows.V > 2 * kFewThreads * Pack<T>::kCount ? kThreads : kFewThreads;
  if (bytes <= kKeptBytes) {
    launch(on, cross_entropy_kernel<T, true>, count, threads, bytes, rows);
  } else {
    launch(on, cross_entropy_kernel<T, false>, count, threads, 0, rows);
  }
}

}  // namespace

void Loss::do_smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                                     const LabelSmoothing& smoothing, double weight, std::int64_t chunk, Array& losses,
                                     Array& nll, Sink dY, Sink dE, Sink db) const {
  // Products over all allocated rows of E, padding rows included, are faster. The gradient must have the same padding
  // rows.
  const bool padded = E.padding_rows() > 0 && (!dE.wanted() || dE.array.padding_rows() == E.padding_rows());
  const Array words = padded ? E.including_padding_rows() : E;
  if (padded && dE.wanted()) dE.array = dE.array.including_padding_rows();
  const std::int64_t R = Y.rows(), V = E.rows(), width = divide_up(words.rows(), kRowUnit) * kRowUnit;
  if (R == 0) {  // without rows the gradient is zero, so clear what the buffers held
    for (Sink sink : {dE, db}) {
      if (sink.wanted() && !sink.accumulates()) fill(sink.array, 0.0);
    }
    return;
  }
  const ArenaScope scratch(arena());
  // With gradients the logits have the element type of Y, because they are overwritten with gradients of that type.
  // Without, as in validation, they are float32 and so not rounded to bfloat16.
  const bool gradients = dY.wanted() || dE.wanted() || db.wanted();
  const DType logit_type = gradients ? Y.dtype() : DType::kFloat32;
  const auto widening = static_cast<std::int64_t>(size_of(logit_type) / size_of(Y.dtype()));
  // Fewer rows, so that wider logits take no more memory.
  chunk = std::max<std::int64_t>(1, std::min(R, chunk) / widening);
  const Array wide = empty({chunk, width}, logit_type);
  dispatch(logit_type, [&]<class T>() {
    LossRows<T> rows{.logits = elements<T>(wide),
                     .stride = width,
                     .bias = nullptr,
                     .targets = elements<const std::int32_t>(targets),
                     .losses = elements<float>(losses),
                     .nll = elements<float>(nll),
                     .V = static_cast<int>(V),
                     .width = static_cast<int>(width),
                     .absent = nullptr,
                     .smoothing = smoothing,
                     .weight = static_cast<float>(weight),
                     .gradients = gradients};
    if (b) {
      const Array bias = empty({width}, logit_type);
      scaled(b, 1.0, Sink::overwrite(bias.columns(0, V)));
      rows.bias = elements<const T>(bias);
      const Array absent = empty({1}, DType::kInt32);
      launch(*this, count_absent<T>, 1, kThreads, 0, rows.bias, rows.V, elements<std::int32_t>(absent));
      rows.absent = elements<const std::int32_t>(absent);
    }
    for (std::int64_t top = 0; top < R; top += chunk) {
      const std::int64_t height = std::min(chunk, R - top);
      const Array y = Y.row_range(top, height), logits = wide.row_range(0, height).columns(0, words.rows());
      matmul(y, Transpose::kNo, words, Transpose::kYes, Sink::overwrite(logits));
      launch_rows(*this, rows, height);
      const auto later = [&](Sink sink) {  // a sum over all rows: chunks after the first add to it
        if (sink.wanted() && top > 0) sink.write = Sink::Write::kAccumulate;
        return sink;
      };
      if (dY.wanted()) {
        matmul(logits, Transpose::kNo, words, Transpose::kNo, {dY.array.row_range(top, height), dY.write});
      }
      if (dE.wanted()) matmul(logits, Transpose::kYes, y, Transpose::kNo, later(dE));
      if (db.wanted()) sum_rows(logits.columns(0, V), later(db));
      rows.targets += height;
      rows.losses += height;
      rows.nll += height;
    }
  });
}

}  // namespace dragoman::cuda
