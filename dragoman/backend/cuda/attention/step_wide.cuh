// A decoding step for heads that are too wide for the registers of a warp. A block owns one query of one head, and 512
// columns of its output; a wider head takes several blocks, each of which computes the scores for itself. The warps of
// a block take the keys in turn, two at a time:
//
//     warp            0       1       2           7       0 ..
//     keys            0, 1    2, 3    4, 5  ..    14, 15  16, 17 ..
//     columns         lane l has [8 l, 8 l + 8) and [8 l + 256, 8 l + 264) of the values; for the scores also those 512
//                     further on, as often as the query has them
//
//   1. Self-attention only: the block with the first columns writes the new token's key and value into their cell.
//   2. Each warp goes through its keys with a running softmax of its own.
//   3. The softmaxes are joined: sums and columns are scaled to the largest maximum and added in the order of the
//   warps.
//   4. If the caller wants the weights: one warp turns the scores that pass 2 stored into weights.
//
// Shared memory:  float out[8 warps][512], maxima[8], sums[8]
#pragma once

#include "dragoman/backend/cuda/attention/step.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kWideStepWarps = 8, kWideStepThreads = kWideStepWarps * kWarp;
constexpr int kWidePieces = 2;                             // groups of eight columns per lane
constexpr int kWideStepColumns = kWidePieces * 8 * kWarp;  // columns per block

// A lane's columns of a value, from column `left` of its head on. Columns that do not exist are 0.
template <bool kPacked, class T>
struct WideSlice {
  static constexpr int kLanes = kWarp, kCount = 8 * kWidePieces;
  Eight<T> pieces[kWidePieces];

  static __device__ std::int64_t column(int piece) { return 8 * (threadIdx.x % kWarp + piece * kWarp); }
  __device__ void load(const T* from, std::int64_t left, std::int64_t d) {
#pragma unroll
    for (int p = 0; p < kWidePieces; ++p) {
      const std::int64_t c = left + column(p);
      pieces[p] = c < d ? load_eight<kPacked>(from, c, d) : Eight<T>{};
    }
  }
  __device__ float get(int j) const { return to_float(pieces[j / 8][j % 8]); }
};

// scores[u] = q . keys[u], for vectors of d numbers; every lane gets them.
template <bool kPacked, class T, int n>
__device__ void wide_scores(const T* q, const T* const (&keys)[n], std::int64_t d, float (&scores)[n]) {
  float sums[n] = {};
  for (std::int64_t c = 8 * (threadIdx.x % kWarp); c < d; c += 8 * kWarp) {
    const Eight<T> own = load_eight<kPacked>(q, c, d);
#pragma unroll
    for (int u = 0; u < n; ++u) {
      const Eight<T> other = load_eight<kPacked>(keys[u], c, d);
#pragma unroll
      for (int i = 0; i < 8; ++i) sums[u] += own[i] * other[i];
    }
  }
#pragma unroll
  for (int u = 0; u < n; ++u) scores[u] = warp_sum(sums[u]);
}

template <bool kPacked, class T, class Source>
__global__ void __launch_bounds__(kWideStepThreads, 2) attention_wide_step(Step<T> step, Source source) {
  using Slice = WideSlice<kPacked, T>;
  __shared__ float out[kWideStepWarps][kWideStepColumns], maxima[kWideStepWarps], sums[kWideStepWarps];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, d_k = step.d_k, d_v = step.d_v;
  const std::int64_t row = blockIdx.x / step.h, left = std::int64_t{blockIdx.y} * kWideStepColumns;
  const int head = blockIdx.x % step.h, key_column = head * d_k, value_column = head * d_v;
  const int from = source.first_key(row), to = source.keys(row), end = to + Source::kCached;

  // Pass 1. No block reads this cell: all take the new token's key and value from the inputs.
  if constexpr (Source::kCached) {
    const std::int64_t cell = source.place(row, to);
    for (int c = threadIdx.x; c < d_k && left == 0; c += kWideStepThreads) {
      source.K.row(cell)[key_column + c] = source.new_K.row(row)[key_column + c];
    }
    for (int c = threadIdx.x; c < d_v && left == 0; c += kWideStepThreads) {
      source.V.row(cell)[value_column + c] = source.new_V.row(row)[value_column + c];
    }
  }
  // Pass 2. A pair without a second key takes the first one twice, and the second score does not count.
  RunningSoftmax<Slice> running;
  const bool stores = step.weights != nullptr && left == 0 && lane == 0;
  for (int key = from + 2 * warp; key < end; key += 2 * kWideStepWarps) {
    const int second = min(key + 1, end - 1);
    const T* const keys[] = {source.key_at(row, key) + key_column, source.key_at(row, second) + key_column};
    Slice values[2];
    values[0].load(source.value_at(row, key) + value_column, left, d_v);
    values[1].load(source.value_at(row, second) + value_column, left, d_v);
    float scores[2];
    wide_scores<kPacked>(step.Q.row(row) + key_column, keys, d_k, scores);
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      scores[u] *= step.scale;
      if (key + u >= end) {
        scores[u] = -INFINITY;
      } else if (stores) {
        step.weights_of(row, head)[key + u] = scores[u];
      }
    }
    running.add(scores, values);
  }
  // Pass 3.
  if (lane == 0) maxima[warp] = running.maximum;
  __syncthreads();
  float maximum = maxima[0];
  for (int w = 1; w < kWideStepWarps; ++w) maximum = fmaxf(maximum, maxima[w]);
  const float correction = power_of_two(running.maximum - maximum);
  if (lane == 0) sums[warp] = running.sum * correction;
#pragma unroll
  for (int j = 0; j < Slice::kCount; ++j) out[warp][Slice::column(j / 8) + j % 8] = running.values[j] * correction;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < kWideStepWarps; ++w) sum += sums[w];
  const float factor = sum > 0 ? 1 / sum : 0.0f;
  for (int c = threadIdx.x; c < kWideStepColumns && left + c < d_v; c += kWideStepThreads) {
    float total = 0;
    for (int w = 0; w < kWideStepWarps; ++w) total += out[w][c];
    step.O.row(row)[value_column + left + c] = from_float<T>(total * factor);
  }
  // Pass 4. The barriers above have made the scores of all warps visible.
  if (step.weights != nullptr && left == 0 && warp == 0) {
    finish_weights(step.weights_of(row, head), step.longest, from, end, maximum + log2f(sum));
  }
}

template <class T, class Source>
void launch_wide_step(const Context& on, const Step<T>& step, const Source& source,
                      std::initializer_list<const Array*> arrays) {
  const bool packed = step.d_k % 8 == 0 && step.d_v % 8 == 0 && in_eights(arrays);
  launch(on, packed ? attention_wide_step<true, T, Source> : attention_wide_step<false, T, Source>,
         Grid(step.Q.rows * step.h, divide_up(step.d_v, kWideStepColumns)), kWideStepThreads, 0, step, source);
}

}  // namespace

}  // namespace dragoman::cuda
