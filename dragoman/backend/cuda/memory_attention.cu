// The weights of attention over a memory. Forward: a block owns a row and its warps take the keys in turn. Backward: a
// block owns 256 columns of a row. A row owns its memory rows, so no two blocks write to the same place. No array in
// shared memory depends on the number of keys, so a memory may have any length.
#include "dragoman/backend/cuda/memory_attention.h"

#include "dragoman/backend/cuda/memory_rows.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kScoreWarps = 16, kScoreThreads = kScoreWarps * kWarp;

// The vector v of the additive score, in its own element type. Both pointers are null for dot products.
struct ScoreVector {
  const float* floats = nullptr;
  const bf16* halves = nullptr;

  template <bool kPacked>
  __device__ Eight<float> load(std::int64_t first, std::int64_t cols) const {
    if (floats != nullptr) return load_eight<kPacked>(floats, first, cols);
    const Eight<bf16> loaded = load_eight<kPacked>(halves, first, cols);
    Eight<float> x;
#pragma unroll
    for (int i = 0; i < 8; ++i) x.at[i] = loaded[i];
    return x;
  }
};
ScoreVector score_vector(const Array& v) {
  if (!v) return {};
  if (v.dtype() == DType::kBFloat16) return {.halves = elements<const bf16>(v)};
  return {.floats = elements<const float>(v)};
}

// The maximum over all threads of a block, returned to each of them. `shared` has space for one float per warp.
__device__ float block_max(float x, float* shared) {
  x = warp_max(x);
  const int warps = blockDim.x / kWarp;
  __syncthreads();
  if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = x;
  __syncthreads();
  float maximum = shared[0];
  for (int w = 1; w < warps; ++w) maximum = fmaxf(maximum, shared[w]);
  return maximum;
}

// The softmax of the `keys` scores in a row of weights, in place. The other columns become 0.
__device__ void softmax_row(float* row, int keys, std::int64_t cols, float* shared) {
  float maximum = -INFINITY, sum = 0;
  for (int j = threadIdx.x; j < keys; j += blockDim.x) maximum = fmaxf(maximum, row[j]);
  maximum = block_max(maximum, shared);
  for (int j = threadIdx.x; j < keys; j += blockDim.x) {
    row[j] = maximum == -INFINITY ? 0.0f : expf(row[j] - maximum);
    sum += row[j];
  }
  sum = block_sum(sum, shared);
  const float scale = maximum == -INFINITY ? 0.0f : 1 / sum;
  for (std::int64_t j = threadIdx.x; j < cols; j += blockDim.x) row[j] = j < keys ? row[j] * scale : 0.0f;
}

// One block per row. Pass 1: warp w computes the scores of keys w, w + 16, w + 32 ... and stores them where the weights
// go; lane l has the columns [8 l, 8 l + 8), [8 l + 256, 8 l + 264) ... Pass 2: the softmax.
template <bool kAdditive, bool kPacked, class T>
__global__ void __launch_bounds__(kScoreThreads)
    memory_weights_kernel(Matrix<const T> Q, Matrix<const T> K, ScoreVector v, float scale, KeysOfRows memory,
                          Matrix<float> weights) {
  __shared__ float shared[kScoreWarps];
  const std::int64_t r = blockIdx.x, a = Q.cols, first = memory.first[r];
  const int keys = memory.count[r], warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  float* row = weights.row(r);
  for (int j = warp; j < keys; j += kScoreWarps) {
    float score = 0;
#pragma unroll 4
    for (std::int64_t c = 8 * lane; c < a; c += 8 * kWarp) {
      const Eight<T> q = load_eight<kPacked>(Q.row(r), c, a), k = load_eight<kPacked>(K.row(first + j), c, a);
      if constexpr (kAdditive) {
        const Eight<float> weight = v.load<kPacked>(c, a);
#pragma unroll
        for (int i = 0; i < 8; ++i) score += weight.at[i] * tanhf(q[i] + k[i]);
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i) score += q[i] * k[i];
      }
    }
    score = warp_sum(score);
    if (lane == 0) row[j] = scale * score;
  }
  __syncthreads();
  softmax_row(row, keys, weights.cols, shared);
}

// Null or absent where a gradient is not wanted.
template <class T, class DQ, class DK>
struct WeightsBackward {
  Matrix<const float> d_weights, weights;
  Matrix<const T> Q, K;
  ScoreVector v;
  float scale;
  KeysOfRows memory;
  SinkRows<DQ> dq;
  SinkRows<DK> dK;
  float* dvs;  // [n, a]: of each row
};

// A block has 256 columns of a row, as memory_rows.cuh says. Pass 1: the mean of d_weights, which each block of the row
// computes for itself. Pass 2: each warp adds its keys to the gradients of dq and dv, in registers, and to those of its
// keys, in memory. Pass 3: the sums of the warps are added.
template <bool kAdditive, bool kPacked, class T, class DQ, class DK>
__global__ void __launch_bounds__(kSumThreads) memory_weights_backward_kernel(WeightsBackward<T, DQ, DK> x) {
  __shared__ float shared[kSumWarps];
  __shared__ WarpSums sums;
  const std::int64_t r = blockIdx.x, a = x.Q.cols, first = x.memory.first[r];
  const std::int64_t left = std::int64_t{blockIdx.y} * kSumColumns;
  const int keys = x.memory.count[r], warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const float *weights = x.weights.row(r), *d_weights = x.d_weights.row(r);
  float mean = 0;
  for (int j = threadIdx.x; j < keys; j += kSumThreads) mean += weights[j] * d_weights[j];
  mean = block_sum(mean, shared);

  const std::int64_t c = left + 8 * lane;
  Eight<float> dq{}, dv{};
  if (c < a) {
    const Eight<T> q = load_eight<kPacked>(x.Q.row(r), c, a);
    Eight<float> v{};
    if constexpr (kAdditive) v = x.v.template load<kPacked>(c, a);
#pragma unroll 2
    for (int j = warp; j < keys; j += kSumWarps) {
      const Eight<T> k = load_eight<kPacked>(x.K.row(first + j), c, a);
      const float ds = x.scale * (weights[j] * (d_weights[j] - mean));
      Eight<float> dk;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if constexpr (kAdditive) {
          const float hidden = tanhf(q[i] + k[i]);
          dk.at[i] = ds * v.at[i] * (1 - hidden * hidden);
          dq.at[i] += dk.at[i];
          dv.at[i] += ds * hidden;
        } else {
          dk.at[i] = ds * q[i];
          dq.at[i] += ds * k[i];
        }
      }
      if (x.dK.data != nullptr) put_eight<kPacked>(dk, x.dK, first + j, c, a);
    }
  }
  const std::int64_t column = left + threadIdx.x;
  if (x.dq.data != nullptr) {
    const float sum = sum_of_warps(dq, sums);
    if (column < a) x.dq.put(r, column, sum);
  }
  if (x.dvs != nullptr) {
    const float sum = sum_of_warps(dv, sums);
    if (column < a) x.dvs[r * a + column] = sum;
  }
}

template <class T, class DQ, class DK>
auto backward_kernel(bool additive, bool packed) {
  if (additive) {
    return packed ? memory_weights_backward_kernel<true, true, T, DQ, DK>
                  : memory_weights_backward_kernel<true, false, T, DQ, DK>;
  }
  return packed ? memory_weights_backward_kernel<false, true, T, DQ, DK>
                : memory_weights_backward_kernel<false, false, T, DQ, DK>;
}

}  // namespace

void MemoryAttention::do_memory_weights(const Array& q, const Array& K, const Array& v, double scale,
                                        const MemoryRows& memory, Array& weights) const {
  const bool packed = in_eights({&q, &K, &v});
  dispatch(q.dtype(), [&]<class T>() {
    const auto additive = packed ? memory_weights_kernel<true, true, T> : memory_weights_kernel<true, false, T>;
    const auto product = packed ? memory_weights_kernel<false, true, T> : memory_weights_kernel<false, false, T>;
    launch(*this, v ? additive : product, q.rows(), kScoreThreads, 0, matrix<const T>(q), matrix<const T>(K),
           score_vector(v), scale, keys_of_rows(memory), matrix<float>(weights));
  });
}

void MemoryAttention::do_memory_weights_backward(const Array& d_weights, const Array& weights, const Array& q,
                                                 const Array& K, const Array& v, double scale, const MemoryRows& memory,
                                                 Sink dq, Sink dK, Sink dv) const {
  if (dK.wanted() && !dK.accumulates()) fill(dK.array, 0);
  const ArenaScope scratch(arena());
  const Array dvs = dv.wanted() ? empty(Shape{q.rows(), q.cols()}, DType::kFloat32) : Array();
  const bool packed = in_eights({&q, &K, &v, &dK.array});
  dispatch(q.dtype(), [&]<class T>() {
    dispatch(type_of(dq, q.dtype()), [&]<class DQ>() {
      dispatch(type_of(dK, q.dtype()), [&]<class DK>() {
        const WeightsBackward<T, DQ, DK> backward{.d_weights = matrix<const float>(d_weights),
                                                  .weights = matrix<const float>(weights),
                                                  .Q = matrix<const T>(q),
                                                  .K = matrix<const T>(K),
                                                  .v = score_vector(v),
                                                  .scale = static_cast<float>(scale),
                                                  .memory = keys_of_rows(memory),
                                                  .dq = sink_rows<DQ>(dq),
                                                  .dK = adding_rows<DK>(dK),
                                                  .dvs = elements<float>(dvs)};
        launch(*this, backward_kernel<T, DQ, DK>(!v.absent(), packed), sum_grid(q.rows(), q.cols()), kSumThreads, 0,
               backward);
      });
    });
  });
  if (dv.wanted()) sum_rows(dvs, dv);
}

}  // namespace dragoman::cuda
