// Forward kernels of layer norm, alone or after a residual addition: s = x + dropout(a), y = layer_norm(s).
#include "dragoman/backend/cuda/norm.h"

#include "dragoman/backend/cuda/norm.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kForwardWarps = 4;

template <class T>
struct AddNorm {
  Matrix<const T> x, a;  // a plain layer_norm has neither a nor s
  const float *gamma, *beta;
  float eps, inverse_d;  // 1 / d
  DropoutMask dropout;
  Matrix<T> s, y;
  float *mean, *rstd;
};

// The statistics of a row. over_row(f) returns the sum of f over the channels of the row.
struct Statistics {
  float mean, rstd;

  template <class OverRow>
  __device__ Statistics(float eps, float inverse_d, const OverRow& over_row) {
    // The mean is computed twice: the second time from the differences to the first result, to correct its rounding. So
    // a constant row has a variance of exactly 0.
    const float rough = over_row([](float v) { return v; }) * inverse_d;
    const float m = rough + over_row([rough](float v) { return v - rough; }) * inverse_d;
    const float variance = over_row([m](float v) { return (v - m) * (v - m); }) * inverse_d;
    mean = m;
    rstd = 1 / sqrtf(variance + eps);
  }
};

template <class T>
__device__ Eight<float> floats(const Eight<T>& x) {
  Eight<float> y;
#pragma unroll
  for (int i = 0; i < 8; ++i) y.at[i] = x[i];
  return y;
}

// x + dropout(a), rounded to T because it is stored as T, so that backward sees the same numbers.
template <class T>
__device__ Eight<T> sum_of(const Eight<T>& x, const Eight<T>& a, const RowDropout& dropout, std::int64_t group) {
  Eight<float> s = floats(a);
  dropout.apply(dropout.words(group), s);
#pragma unroll
  for (int i = 0; i < 8; ++i) s.at[i] += x[i];
  return rounded_to<T>(s);
}

template <class T>
__device__ Eight<T> normalised(const Eight<float>& s, const Statistics& statistics, const Eight<float>& gamma,
                               const Eight<float>& beta) {
  Eight<float> y;
#pragma unroll
  for (int i = 0; i < 8; ++i) y.at[i] = gamma.at[i] * ((s.at[i] - statistics.mean) * statistics.rstd) + beta.at[i];
  return rounded_to<T>(y);
}

// One warp per row; a lane holds kEights groups of eight channels in registers.
template <class T, int kEights>
__global__ void __launch_bounds__(kForwardWarps* kWarp) add_norm_in_warps(AddNorm<T> norm) {
  const int lane = threadIdx.x % kWarp;
  const std::int64_t r = std::int64_t{blockIdx.x} * kForwardWarps + threadIdx.x / kWarp, d = norm.x.cols;
  if (r >= norm.x.rows) return;
  const auto group = [lane](int j) { return lane + kWarp * j; };
  const auto in_row = [&](int j) { return 8 * group(j) < d; };

  const RowDropout dropout(norm.dropout, r);
  Eight<T> x[kEights], a[kEights];
#pragma unroll
  for (int j = 0; j < kEights; ++j) {
    if (!in_row(j)) continue;
    x[j] = load_eight<true>(norm.x.row(r), 8 * group(j), d);
    if (norm.a.data != nullptr) a[j] = load_eight<true>(norm.a.row(r), 8 * group(j), d);
  }
  Eight<float> s[kEights];
#pragma unroll
  for (int j = 0; j < kEights; ++j) {
    if (!in_row(j)) continue;
    if (norm.a.data != nullptr) {
      x[j] = sum_of(x[j], a[j], dropout, group(j));
      store_eight<true>(x[j], norm.s.row(r), 8 * group(j), d);
    }
    s[j] = floats(x[j]);
  }
  const Statistics statistics(norm.eps, norm.inverse_d, [&](const auto& f) {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
#pragma unroll
      for (int i = 0; i < 8; ++i) sum += in_row(j) ? f(s[j].at[i]) : 0;
    }
    return warp_sum(sum);
  });
#pragma unroll
  for (int j = 0; j < kEights; ++j) {
    if (!in_row(j)) continue;
    const Eight<float> gamma = load_eight<true>(norm.gamma, 8 * group(j), d);
    const Eight<float> beta = load_eight<true>(norm.beta, 8 * group(j), d);
    store_eight<true>(normalised<T>(s[j], statistics, gamma, beta), norm.y.row(r), 8 * group(j), d);
  }
  if (lane == 0) {
    norm.mean[r] = statistics.mean;
    norm.rstd[r] = statistics.rstd;
  }
}

// One block per row. A thread reads the same groups of eight channels in every pass.
template <class T, bool kPacked>
__global__ void add_norm_in_blocks(AddNorm<T> norm) {
  __shared__ float shared[kWarp];
  const std::int64_t r = blockIdx.x, d = norm.x.cols, groups = divide_up(d, 8);
  const T* row = norm.x.row(r);
  if (norm.a.data != nullptr) {
    const RowDropout dropout(norm.dropout, r);
    for (std::int64_t g = threadIdx.x; g < groups; g += blockDim.x) {
      const Eight<T> x = load_eight<kPacked>(row, 8 * g, d), a = load_eight<kPacked>(norm.a.row(r), 8 * g, d);
      store_eight<kPacked>(sum_of(x, a, dropout, g), norm.s.row(r), 8 * g, d);
    }
    row = norm.s.row(r);  // each thread reads only what it has written itself
  }
  const Statistics statistics(norm.eps, norm.inverse_d, [&](const auto& f) {
    float sum = 0;
    for (std::int64_t g = threadIdx.x; g < groups; g += blockDim.x) {
      const Eight<T> s = load_eight<kPacked>(row, 8 * g, d);
#pragma unroll
      for (int i = 0; i < 8; ++i) sum += 8 * g + i < d ? f(s[i]) : 0;
    }
    return block_sum(sum, shared);
  });
  for (std::int64_t g = threadIdx.x; g < groups; g += blockDim.x) {
    const Eight<float> s = floats(load_eight<kPacked>(row, 8 * g, d));
    const Eight<float> gamma = load_eight<kPacked>(norm.gamma, 8 * g, d);
    const Eight<float> beta = load_eight<kPacked>(norm.beta, 8 * g, d);
    store_eight<kPacked>(normalised<T>(s, statistics, gamma, beta), norm.y.row(r), 8 * g, d);
  }
  if (threadIdx.x == 0) {
    norm.mean[r] = statistics.mean;
    norm.rstd[r] = statistics.rstd;
  }
}

template <class T>
void launch_forward(const Context& on, const AddNorm<T>& norm, bool packed) {
  const std::int64_t rows = norm.x.rows, d = norm.x.cols;
  if (packed && d <= kWarpWidth) {
    const auto kernel = d <= 256   ? add_norm_in_warps<T, 1>
                        : d <= 512 ? add_norm_in_warps<T, 2>
                                   : add_norm_in_warps<T, 4>;
    launch(on, kernel, divide_up(rows, kForwardWarps), kForwardWarps * kWarp, 0, norm);
  } else {
    const auto kernel = packed ? add_norm_in_blocks<T, true> : add_norm_in_blocks<T, false>;
    launch(on, kernel, rows, threads_for(d), 0, norm);
  }
}

}  // namespace

void Norm::do_layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                         Array& rstd) const {
  const bool packed = in_eights({&x, &y, &gamma, &beta});
  dispatch(x.dtype(), [&]<class T>() {
    const AddNorm<T> norm{
        .x = matrix<const T>(x),
        .a = {},
        .gamma = elements<const float>(gamma),
        .beta = elements<const float>(beta),
        .eps = static_cast<float>(eps),
        .inverse_d = 1 / static_cast<float>(x.cols()),
        .dropout = {},
        .s = {},
        .y = matrix<T>(y),
        .mean = elements<float>(mean),
        .rstd = elements<float>(rstd),
    };
    launch_forward(*this, norm, packed);
  });
}

void Norm::do_add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout,
                       const Array& gamma, const Array& beta, double eps, Array& s, Array& y, Array& mean,
                       Array& rstd) const {
  const bool packed = in_eights({&x, &a, &s, &y, &gamma, &beta});
  dispatch(x.dtype(), [&]<class T>() {
    const AddNorm<T> norm{
        .x = matrix<const T>(x),
        .a = matrix<const T>(a),
        .gamma = elements<const float>(gamma),
        .beta = elements<const float>(beta),
        .eps = static_cast<float>(eps),
        .inverse_d = 1 / static_cast<float>(x.cols()),
        .dropout = dropout_mask(dropout, segments),
        .s = matrix<T>(s),
        .y = matrix<T>(y),
        .mean = elements<float>(mean),
        .rstd = elements<float>(rstd),
    };
    launch_forward(*this, norm, packed);
  });
}

}  // namespace dragoman::cuda
