// The kernels of Norm for weight normalisation.
//
// A block handles a tile of kColumns columns with all their rows. Thread t owns column t % kColumns of the tile and the
// rows t / kColumns, t / kColumns + kThreads / kColumns, and so on. Neighbouring threads read neighbouring columns.
//   1. Each thread sums over its rows, and the block adds the sums of its threads (column_total).
//   2. Each thread reads its rows again, now from the cache, and writes its elements of the result.
//
// Shared memory:  float [kThreads], the sums of the threads in step 1.
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/norm.h"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 512;
// The width of a tile: the columns of a row of bf16 fill a memory sector of 32 bytes. A single column has tiles of
// width 1, so that all threads work on it.
constexpr int kTile = 16;

// The sum of x over the threads of a column, returned to each of them. Adds the upper half of the threads to the lower
// half, then the upper quarter to the lower one, and so on, so the order of additions depends on the shape alone.
template <int kColumns>
__device__ float column_total(float x, float* shared) {
  const int t = threadIdx.x;
  shared[t] = x;
  for (int half = kThreads / 2; half >= kColumns; half /= 2) {
    __syncthreads();
    if (t < half) shared[t] += shared[t + half];
  }
  __syncthreads();
  return shared[t % kColumns];
}

template <class T, class Gain>
struct WeightNorm {
  Matrix<const T> v;
  const Gain* g;
  Matrix<T> W;
  float* lengths;
};

template <class T, class Gain, int kColumns>
__global__ void __launch_bounds__(kThreads) weight_norm_tile(WeightNorm<T, Gain> norm) {
  __shared__ float shared[kThreads];
  const std::int64_t c = std::int64_t{blockIdx.x} * kColumns + threadIdx.x % kColumns;
  const std::int64_t first = threadIdx.x / kColumns, step = kThreads / kColumns;
  const std::int64_t rows = c < norm.v.cols ? norm.v.rows : 0;  // the last tile may have fewer columns

  float sum = 0;
#pragma unroll 4
  for (std::int64_t r = first; r < rows; r += step) {
    const float v = to_float(norm.v.row(r)[c]);
    sum += v * v;
  }
  const float length = sqrtf(column_total<kColumns>(sum, shared));

  if (c >= norm.v.cols) return;
  const float scale = to_float(norm.g[c]) / length;
#pragma unroll 4
  for (std::int64_t r = first; r < rows; r += step)
    norm.W.row(r)[c] = from_float<T>(to_float(norm.v.row(r)[c]) * scale);
  if (first == 0) norm.lengths[c] = length;
}

template <class T, class Gain, class Gradient>
struct WeightNormBackward {
  Matrix<const T> dW, v;
  const Gain* g;
  const float* lengths;
  SinkRows<Gradient> dv;
  float* dg;  // not a sink: every element is overwritten
};

// dv = scale (dW - along v), with scale = g / |v| and along = (dW . u) / |v|.
template <class T, class Gain, class Gradient, int kColumns>
__global__ void __launch_bounds__(kThreads) weight_norm_backward_tile(WeightNormBackward<T, Gain, Gradient> norm) {
  __shared__ float shared[kThreads];
  const std::int64_t c = std::int64_t{blockIdx.x} * kColumns + threadIdx.x % kColumns;
  const std::int64_t first = threadIdx.x / kColumns, step = kThreads / kColumns;
  const std::int64_t rows = c < norm.v.cols ? norm.v.rows : 0;  // the last tile may have fewer columns

  float sum = 0;
#pragma unroll 4
  for (std::int64_t r = first; r < rows; r += step) sum += to_float(norm.dW.row(r)[c]) * to_float(norm.v.row(r)[c]);
  const float dot = column_total<kColumns>(sum, shared);

  if (c >= norm.v.cols) return;
  const float length = norm.lengths[c], along_u = dot / length;
  if (first == 0) norm.dg[c] = along_u;
  if (norm.dv.data == nullptr) return;
  const float scale = to_float(norm.g[c]) / length, along = along_u / length;
#pragma unroll 4
  for (std::int64_t r = first; r < rows; r += step) {
    norm.dv.put(r, c, scale * (to_float(norm.dW.row(r)[c]) - along * to_float(norm.v.row(r)[c])));
  }
}

std::int64_t tiles(const Array& v) { return divide_up(v.cols(), v.cols() == 1 ? 1 : kTile); }

}  // namespace

void Norm::do_weight_norm(const Array& v, const Array& g, Array& W, Array& lengths) const {
  dispatch(v.dtype(), [&]<class T>() {
    dispatch(g.dtype(), [&]<class Gain>() {
      const auto kernel = v.cols() == 1 ? weight_norm_tile<T, Gain, 1> : weight_norm_tile<T, Gain, kTile>;
      const WeightNorm<T, Gain> norm{
          .v = matrix<const T>(v),
          .g = elements<const Gain>(g),
          .W = matrix<T>(W),
          .lengths = elements<float>(lengths),
      };
      launch(*this, kernel, tiles(v), kThreads, 0, norm);
    });
  });
}

void Norm::do_weight_norm_backward(const Array& dW, const Array& v, const Array& g, const Array& lengths, Sink dv,
                                   Sink dg) const {
  const ArenaScope scratch(arena());
  const Array dots = empty({v.cols()}, DType::kFloat32);
  dispatch(v.dtype(), [&]<class T>() {
    dispatch(g.dtype(), [&]<class Gain>() {
      dispatch(type_of(dv, DType::kFloat32), [&]<class Gradient>() {
        const auto kernel = v.cols() == 1 ? weight_norm_backward_tile<T, Gain, Gradient, 1>
                                          : weight_norm_backward_tile<T, Gain, Gradient, kTile>;
        const WeightNormBackward<T, Gain, Gradient> norm{
            .dW = matrix<const T>(dW),
            .v = matrix<const T>(v),
            .g = elements<const Gain>(g),
            .lengths = elements<const float>(lengths),
            .dv = sink_rows<Gradient>(dv),
            .dg = elements<float>(dots),
        };
        launch(*this, kernel, tiles(v), kThreads, 0, norm);
      });
    });
  });
  // A pass of its own, which converts to the element type of the sink: dg has one number for each column.
  if (dg.wanted()) scaled(dots, 1.0, dg);
}

}  // namespace dragoman::cuda
