// What the kernels of a decoding step share: where the keys of a row are, the arrays of a call, the running softmax,
// and how scores become weights.
#pragma once

#include "dragoman/backend/attention.h"
#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr float kLowest = -1e30f;  // below every score, but finite, so that differences of maxima are never NaN

// The keys of self-attention: the earlier tokens of the hypothesis, in cells, and the new token. The new token's key
// and value are read from new_K and new_V, not from the cell that the same kernel writes them into.
template <class T>
struct CachedSource {
  static constexpr bool kCached = true;
  Matrix<T> K, V;
  Matrix<const T> new_K, new_V;
  Matrix<const std::int32_t> cells;
  const std::int32_t* lengths;
  Mask mask;

  __device__ int first_key(std::int64_t row) const { return static_cast<int>(mask.first_key(lengths[row])); }
  __device__ int keys(std::int64_t row) const { return lengths[row]; }  // without the new token
  __device__ std::int64_t place(std::int64_t row, int key) const { return cells.row(row)[key]; }
  // The key with this number and its value; that of the new token has the number keys(row).
  __device__ const T* key_at(std::int64_t row, int key) const {
    return key < lengths[row] ? K.row(place(row, key)) : new_K.row(row);
  }
  __device__ const T* value_at(std::int64_t row, int key) const {
    return key < lengths[row] ? V.row(place(row, key)) : new_V.row(row);
  }
};

// The keys of encoder-decoder attention: rows of the memory.
template <class T>
struct MemorySource {
  static constexpr bool kCached = false;
  Matrix<const T> K, V;
  const std::int32_t *first, *count;

  __device__ int first_key(std::int64_t) const { return 0; }
  __device__ int keys(std::int64_t row) const { return count[row]; }
  __device__ std::int64_t place(std::int64_t row, int key) const { return first[row] + key; }
  __device__ const T* key_at(std::int64_t row, int key) const { return K.row(place(row, key)); }
  __device__ const T* value_at(std::int64_t row, int key) const { return V.row(place(row, key)); }
};

// The arrays and sizes of one call.
template <class T>
struct Step {
  Matrix<const T> Q;
  Matrix<T> O;
  int h, d_k, d_v;
  float scale;     // times log2(e), because weights are computed as powers of two
  float* weights;  // [rows, h, longest], or null
  std::int64_t longest;

  __device__ float* weights_of(std::int64_t row, int head) const { return weights + (row * h + head) * longest; }
};

// Returns the sum over the lanes of a group to each of them.
template <int kLanes>
__device__ float group_sum(float x) {
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) x += __shfl_xor_sync(kAllLanes, x, step);
  return x;
}

// The running softmax of a group: maximum and sum over the keys so far, and the weighted sum of their values (of this
// lane's slice). add() adds n keys.
template <class Slice>
struct RunningSoftmax {
  static constexpr int kCount = Slice::kCount;
  float maximum = kLowest, sum = 0, values[kCount] = {};

  template <int n>
  __device__ void add(const float (&scores)[n], const Slice (&V)[n]) {
    float new_maximum = maximum;
#pragma unroll
    for (int u = 0; u < n; ++u) new_maximum = fmaxf(new_maximum, scores[u]);
    raise_maximum(new_maximum);
#pragma unroll
    for (int u = 0; u < n; ++u) {
      const float weight = power_of_two(scores[u] - new_maximum);
      sum += weight;
#pragma unroll
      for (int j = 0; j < kCount; ++j) values[j] += weight * V[u].get(j);
    }
  }
  // Scales the sums down to a larger maximum.
  __device__ void raise_maximum(float new_maximum) {
    const float correction = power_of_two(maximum - new_maximum);
    maximum = new_maximum;
    sum *= correction;
#pragma unroll
    for (int j = 0; j < kCount; ++j) values[j] *= correction;
  }
  // Combines the groups of a warp; afterwards each lane has the sums over all keys.
  __device__ void join() {
    float new_maximum = maximum;
#pragma unroll
    for (int step = Slice::kLanes; step < kWarp; step *= 2)
      new_maximum = fmaxf(new_maximum, __shfl_xor_sync(kAllLanes, new_maximum, step));
    raise_maximum(new_maximum);
#pragma unroll
    for (int step = Slice::kLanes; step < kWarp; step *= 2) {
      sum += __shfl_xor_sync(kAllLanes, sum, step);
#pragma unroll
      for (int j = 0; j < kCount; ++j) values[j] += __shfl_xor_sync(kAllLanes, values[j], step);
    }
  }
};

// Turns the stored scores of the keys [from, to) into weights; all other keys get 0.
__device__ void finish_weights(float* weights, std::int64_t longest, int from, int to, float log_sum) {
  __syncwarp();
  for (std::int64_t key = threadIdx.x % kWarp; key < longest; key += kWarp) {
    weights[key] = key >= from && key < to ? power_of_two(weights[key] - log_sum) : 0.0f;
  }
}

}  // namespace

}  // namespace dragoman::cuda
