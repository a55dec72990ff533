// Masks, softmax and the loss as separate, simple kernels: one block per row.
#include "dragoman/backend/cuda/softmax.h"

#include <algorithm>
#include <limits>

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

// A block handles one row. Thread i has columns i, i + threads, i + 2 threads ... in every pass, so y may be the same
// array as x.
constexpr int kMaxThreads = 512;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

int threads_for(std::int64_t cols) {
  return static_cast<int>(std::clamp<std::int64_t>(divide_up(cols, kWarp) * kWarp, kWarp, kMaxThreads));
}

// The maximum over all threads of a block, returned to each of them. `shared` has space for one float per warp.
__device__ float block_max(float x, float* shared) {
  x = warp_max(x);
  __syncthreads();
  if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = x;
  __syncthreads();
  for (int w = 0; w < static_cast<int>(blockDim.x) / kWarp; ++w) x = fmaxf(x, shared[w]);
  return x;
}

// The maximum of a row, and the sum of e^(x - maximum). A row of -infinity has the sum 0.
struct Exponentials {
  float maximum = kMinusInfinity, sum = 0;

  template <class T>
  __device__ Exponentials(const T* row, std::int64_t cols, float* shared) {
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) maximum = fmaxf(maximum, to_float(row[c]));
    maximum = block_max(maximum, shared);
    if (maximum == kMinusInfinity) return;
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(to_float(row[c]) - maximum);
    sum = block_sum(sum, shared);
  }
};

template <class T>
__global__ void __launch_bounds__(kMaxThreads) softmax_rows(Matrix<const T> x, Matrix<T> y) {
  __shared__ float shared[kWarp];
  const T* from = x.row(blockIdx.x);
  T* to = y.row(blockIdx.x);
  const Exponentials exponentials(from, x.cols, shared);
  const float scale = 1 / exponentials.sum;
  for (std::int64_t c = threadIdx.x; c < x.cols; c += blockDim.x) {
    to[c] = from_float<T>(
        exponentials.maximum == kMinusInfinity ? 0 : expf(to_float(from[c]) - exponentials.maximum) * scale);
  }
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads) log_softmax_rows(Matrix<const T> x, Matrix<T> y) {
  __shared__ float shared[kWarp];
  const T* from = x.row(blockIdx.x);
  T* to = y.row(blockIdx.x);
  const Exponentials exponentials(from, x.cols, shared);
  const float log_sum = logf(exponentials.sum);
  for (std::int64_t c = threadIdx.x; c < x.cols; c += blockDim.x) {
    to[c] = from_float<T>(exponentials.maximum == kMinusInfinity ? kMinusInfinity
                                                                 : to_float(from[c]) - exponentials.maximum - log_sum);
  }
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_backward_rows(Matrix<const T> dy, Matrix<const T> y, SinkRows<T> dx) {
  __shared__ float shared[kWarp];
  const std::int64_t r = blockIdx.x;
  float sum = 0;
  for (std::int64_t c = threadIdx.x; c < y.cols; c += blockDim.x) sum += to_float(dy.row(r)[c]) * to_float(y.row(r)[c]);
  sum = block_sum(sum, shared);
  for (std::int64_t c = threadIdx.x; c < y.cols; c += blockDim.x) {
    dx.put(r, c, to_float(y.row(r)[c]) * (to_float(dy.row(r)[c]) - sum));
  }
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    log_softmax_backward_rows(Matrix<const T> dy, Matrix<const T> y, SinkRows<T> dx) {
  __shared__ float shared[kWarp];
  const std::int64_t r = blockIdx.x;
  float sum = 0;
  for (std::int64_t c = threadIdx.x; c < y.cols; c += blockDim.x) sum += to_float(dy.row(r)[c]);
  sum = block_sum(sum, shared);
  for (std::int64_t c = threadIdx.x; c < y.cols; c += blockDim.x) {
    dx.put(r, c, to_float(dy.row(r)[c]) - expf(to_float(y.row(r)[c])) * sum);
  }
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads) mask_rows(Matrix<const T> x, Mask mask, Matrix<T> y) {
  const std::int64_t i = blockIdx.x, first = mask.first_key(i), end = mask.end_key(i, x.cols);
  for (std::int64_t j = threadIdx.x; j < x.cols; j += blockDim.x) {
    y.row(i)[j] = j >= first && j < end ? x.row(i)[j] : from_float<T>(kMinusInfinity);
  }
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads) mask_backward_rows(Matrix<const T> dy, Mask mask, SinkRows<T> dx) {
  const std::int64_t i = blockIdx.x, first = mask.first_key(i), end = mask.end_key(i, dy.cols);
  for (std::int64_t j = threadIdx.x; j < dy.cols; j += blockDim.x) {
    dx.put(i, j, j >= first && j < end ? to_float(dy.row(i)[j]) : 0);
  }
}

template <class T, class S>
__global__ void __launch_bounds__(kMaxThreads)
    smoothed_nll_rows(Matrix<const T> log_p, const std::int32_t* targets, float others, float on_target, S* losses) {
  __shared__ float shared[kWarp];
  const std::int64_t r = blockIdx.x;
  const std::int32_t target = targets[r];
  float sum = 0;
  // Without smoothing the other classes are left out, because 0 * -infinity would be NaN.
  for (std::int64_t c = threadIdx.x; c < log_p.cols && others > 0 && target >= 0; c += blockDim.x) {
    sum += c != target ? to_float(log_p.row(r)[c]) : 0;
  }
  sum = block_sum(sum, shared);
  if (threadIdx.x != 0) return;
  losses[r] =
      from_float<S>(target < 0 ? 0 : (others > 0 ? -others * sum : 0) - on_target * to_float(log_p.row(r)[target]));
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    smoothed_nll_backward_rows(const std::int32_t* targets, float others, float on_target, std::int64_t cols,
                               SinkRows<T> dlog_p) {
  const std::int64_t r = blockIdx.x;
  const std::int32_t target = targets[r];
  for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
    dlog_p.put(r, c, target < 0 ? 0 : c == target ? on_target : others);
  }
}

// Launches a kernel with one block for each row of x.
template <class... Parameters, class... Arguments>
void launch_rows(const Context& on, void (*kernel)(Parameters...), const Array& x, const Arguments&... arguments) {
  launch(on, kernel, x.rows(), threads_for(x.cols()), 0, arguments...);
}

}  // namespace

void Softmax::do_masked(const Array& x, const Mask& mask, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() { launch_rows(*this, mask_rows<T>, x, matrix<const T>(x), mask, matrix<T>(y)); });
}

void Softmax::do_masked_backward(const Array& dy, const Mask& mask, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    launch_rows(*this, mask_backward_rows<T>, dy, matrix<const T>(dy), mask, sink_rows<T>(dx));
  });
}

void Softmax::do_softmax(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() { launch_rows(*this, softmax_rows<T>, x, matrix<const T>(x), matrix<T>(y)); });
}

void Softmax::do_softmax_backward(const Array& dy, const Array& y, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    launch_rows(*this, softmax_backward_rows<T>, y, matrix<const T>(dy), matrix<const T>(y), sink_rows<T>(dx));
  });
}

void Softmax::do_log_softmax(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() { launch_rows(*this, log_softmax_rows<T>, x, matrix<const T>(x), matrix<T>(y)); });
}

void Softmax::do_log_softmax_backward(const Array& dy, const Array& y, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    launch_rows(*this, log_softmax_backward_rows<T>, y, matrix<const T>(dy), matrix<const T>(y), sink_rows<T>(dx));
  });
}

void Softmax::do_smoothed_nll(const Array& log_p, const Array& targets, const LabelSmoothing& smoothing,
                              Array& losses) const {
  const auto others = static_cast<float>(smoothing.on_others(log_p.cols())),
             on_target = static_cast<float>(smoothing.on_target(log_p.cols()));
  dispatch(log_p.dtype(), [&]<class T>() {
    dispatch(losses.dtype(), [&]<class S>() {
      launch_rows(*this, smoothed_nll_rows<T, S>, log_p, matrix<const T>(log_p), elements<const std::int32_t>(targets),
                  others, on_target, elements<S>(losses));
    });
  });
}

void Softmax::do_smoothed_nll_backward(double dloss, const Array& targets, const LabelSmoothing& smoothing,
                                       Sink dlog_p) const {
  const Array& d = dlog_p.array;
  const auto others = static_cast<float>(-dloss * smoothing.on_others(d.cols())),
             on_target = static_cast<float>(-dloss * smoothing.on_target(d.cols()));
  dispatch(d.dtype(), [&]<class T>() {
    launch_rows(*this, smoothed_nll_backward_rows<T>, d, elements<const std::int32_t>(targets), others, on_target,
                d.cols(), sink_rows<T>(dlog_p));
  });
}

}  // namespace dragoman::cuda
