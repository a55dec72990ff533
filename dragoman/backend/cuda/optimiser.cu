// Adam, Nesterov's momentum, moving averages and the scale of an update. These kernels are limited by memory: a block
// handles a tile of neighbouring elements, and each thread has two quads of four elements under way at once.
#include "dragoman/backend/cuda/optimiser.h"

#include <cmath>

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256;
constexpr int kQuads = 2;                              // per thread
constexpr std::int64_t kTile = kThreads * kQuads * 4;  // elements per block

// Four elements that are loaded and stored at once.
template <class T>
struct alignas(4 * sizeof(T)) Quad {
  T at[4];
};

// Whether all these blocks of memory can be read by quads, which depends on their addresses alone.
bool by_quads(std::initializer_list<const Array*> blocks) {
  for (const Array* x : blocks) {
    if (!x->absent() && reinterpret_cast<std::uintptr_t>(x->raw()) % (4 * size_of(x->dtype())) != 0) return false;
  }
  return true;
}

// Calls two_quads(i, k) with the first elements of this thread's two quads in the block's tile, so that their loads are
// under way together. If quads cannot be read, or the tile is not full, calls element(i) for single elements instead.
template <class Element, class TwoQuads>
__device__ void for_tile(std::int64_t count, bool quads, const Element& element, const TwoQuads& two_quads) {
  const std::int64_t first = blockIdx.x * kTile;
  if (quads && first + kTile <= count) {
    two_quads(first + 4 * threadIdx.x, first + 4 * (kThreads + threadIdx.x));
  } else {
    const std::int64_t end = first + kTile < count ? first + kTile : count;
    for (std::int64_t i = first + threadIdx.x; i < end; i += kThreads) element(i);
  }
}

// The factors of one step, the same for every element.
struct AdamFactors {
  float beta1, rest1, beta2, rest2, epsilon;  // rest1 = 1 - beta1, rest2 = 1 - beta2
  float rate;                                 // the step's rate / (1 - beta1^t), which includes the correction of m
  float v_correction;                         // 1 / (1 - beta2^t)
  float decay;                                // 1 - the step's rate * weight_decay

  explicit AdamFactors(const AdamStep& step)
      : beta1(static_cast<float>(step.beta1)),
        rest1(static_cast<float>(1 - step.beta1)),
        beta2(static_cast<float>(step.beta2)),
        rest2(static_cast<float>(1 - step.beta2)),
        epsilon(static_cast<float>(step.epsilon)),
        rate(static_cast<float>(step.rate / (1 - std::pow(step.beta1, static_cast<double>(step.t))))),
        v_correction(static_cast<float>(1 / (1 - std::pow(step.beta2, static_cast<double>(step.t))))),
        decay(static_cast<float>(1 - step.rate * step.weight_decay)) {}
};

template <class T>
__device__ void adam_element(const AdamFactors& a, float scale, T g, T& theta, T& m, T& v) {
  const float gradient = scale * to_float(g);
  const float new_m = a.beta1 * to_float(m) + a.rest1 * gradient;
  const float new_v = a.beta2 * to_float(v) + a.rest2 * (gradient * gradient);
  theta = from_float<T>(a.decay * to_float(theta) - a.rate * new_m / (sqrtf(new_v * a.v_correction) + a.epsilon));
  m = from_float<T>(new_m);
  v = from_float<T>(new_v);
}

// The blocks of memory that Adam works on; `copy` is null if there is none.
template <class T, class Copy>
struct AdamBlocks {
  const T* g;
  T *theta, *m, *v;
  Copy* copy;
};

// A scale of NaN means that the update is skipped (see scale_kernel).
template <class T, class Copy>
__global__ void __launch_bounds__(kThreads)
    adam_kernel(AdamFactors a, const double* scale, std::int64_t count, bool quads, AdamBlocks<T, Copy> x) {
  const float factor = scale == nullptr ? 1.0f : static_cast<float>(*scale);
  const auto element = [&](std::int64_t i) {
    if (isnan(factor)) return;
    adam_element(a, factor, x.g[i], x.theta[i], x.m[i], x.v[i]);
    if (x.copy != nullptr) x.copy[i] = from_float<Copy>(to_float(x.theta[i]));
  };
  const auto two_quads = [&](std::int64_t i, std::int64_t k) {
    const std::int64_t at[kQuads] = {i, k};
    Quad<T> g[kQuads], theta[kQuads], m[kQuads], v[kQuads];
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      g[q] = *reinterpret_cast<const Quad<T>*>(x.g + at[q]);
      theta[q] = *reinterpret_cast<const Quad<T>*>(x.theta + at[q]);
      m[q] = *reinterpret_cast<const Quad<T>*>(x.m + at[q]);
      v[q] = *reinterpret_cast<const Quad<T>*>(x.v + at[q]);
    }
    if (isnan(factor)) return;  // checked after the loads, so that these do not wait for the factor
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      Quad<Copy> copy;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        adam_element(a, factor, g[q].at[j], theta[q].at[j], m[q].at[j], v[q].at[j]);
        copy.at[j] = from_float<Copy>(to_float(theta[q].at[j]));
      }
      *reinterpret_cast<Quad<T>*>(x.theta + at[q]) = theta[q];
      *reinterpret_cast<Quad<T>*>(x.m + at[q]) = m[q];
      *reinterpret_cast<Quad<T>*>(x.v + at[q]) = v[q];
      if (x.copy != nullptr) *reinterpret_cast<Quad<Copy>*>(x.copy + at[q]) = copy;
    }
  };
  for_tile(count, quads, element, two_quads);
}

// theta = decay theta + ahead v - pull g;  v = kept v - taken g. The gradient is multiplied by the scale first.
struct NesterovFactors {
  float ahead, pull, kept, taken, decay;

  explicit NesterovFactors(const NesterovStep& step)
      : ahead(static_cast<float>(step.momentum * step.momentum * step.rate_ratio)),
        pull(static_cast<float>((1 + step.momentum) * step.rate)),
        kept(static_cast<float>(step.momentum * step.rate_ratio)),
        taken(static_cast<float>(step.rate)),
        decay(static_cast<float>(1 - step.rate * step.weight_decay)) {}
};

template <class T>
__device__ void nesterov_element(const NesterovFactors& a, float scale, T g, T& theta, T& v) {
  const float gradient = scale * to_float(g), old_v = to_float(v);
  theta = from_float<T>(a.decay * to_float(theta) + a.ahead * old_v - a.pull * gradient);
  v = from_float<T>(a.kept * old_v - a.taken * gradient);
}

// The blocks of memory that nesterov works on; `copy` is null if there is none.
template <class T, class Copy>
struct NesterovBlocks {
  const T* g;
  T *theta, *v;
  Copy* copy;
};

template <class T, class Copy>
__global__ void __launch_bounds__(kThreads)
    nesterov_kernel(NesterovFactors a, const double* scale, std::int64_t count, bool quads, NesterovBlocks<T, Copy> x) {
  const float factor = scale == nullptr ? 1.0f : static_cast<float>(*scale);
  const auto element = [&](std::int64_t i) {
    if (isnan(factor)) return;
    nesterov_element(a, factor, x.g[i], x.theta[i], x.v[i]);
    if (x.copy != nullptr) x.copy[i] = from_float<Copy>(to_float(x.theta[i]));
  };
  const auto two_quads = [&](std::int64_t i, std::int64_t k) {
    const std::int64_t at[kQuads] = {i, k};
    Quad<T> g[kQuads], theta[kQuads], v[kQuads];
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      g[q] = *reinterpret_cast<const Quad<T>*>(x.g + at[q]);
      theta[q] = *reinterpret_cast<const Quad<T>*>(x.theta + at[q]);
      v[q] = *reinterpret_cast<const Quad<T>*>(x.v + at[q]);
    }
    if (isnan(factor)) return;  // checked after the loads, so that these do not wait for the factor
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      Quad<Copy> copy;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        nesterov_element(a, factor, g[q].at[j], theta[q].at[j], v[q].at[j]);
        copy.at[j] = from_float<Copy>(to_float(theta[q].at[j]));
      }
      *reinterpret_cast<Quad<T>*>(x.theta + at[q]) = theta[q];
      *reinterpret_cast<Quad<T>*>(x.v + at[q]) = v[q];
      if (x.copy != nullptr) *reinterpret_cast<Quad<Copy>*>(x.copy + at[q]) = copy;
    }
  };
  for_tile(count, quads, element, two_quads);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    average_kernel(float kept, float taken, const double* scale, std::int64_t count, bool quads, const T* x, T* mean) {
  const bool updated = scale == nullptr || !isnan(*scale);
  const auto element = [&](T old, T value) { return from_float<T>(kept * to_float(old) + taken * to_float(value)); };
  const auto two_quads = [&](std::int64_t i, std::int64_t k) {
    const Quad<T> a = *reinterpret_cast<const Quad<T>*>(x + i), b = *reinterpret_cast<const Quad<T>*>(x + k);
    Quad<T> mean_a = *reinterpret_cast<const Quad<T>*>(mean + i), mean_b = *reinterpret_cast<const Quad<T>*>(mean + k);
    if (!updated) return;  // checked after the loads, so that these do not wait for the scale
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      mean_a.at[j] = element(mean_a.at[j], a.at[j]);
      mean_b.at[j] = element(mean_b.at[j], b.at[j]);
    }
    *reinterpret_cast<Quad<T>*>(mean + i) = mean_a;
    *reinterpret_cast<Quad<T>*>(mean + k) = mean_b;
  };
  for_tile(
      count, quads,
      [&](std::int64_t i) {
        if (updated) mean[i] = element(mean[i], x[i]);
      },
      two_quads);
}

// Writes the scale of the update: NaN if a loss or the gradient is not finite, clip / norm if the norm is above `clip`,
// otherwise 1. Runs as one warp.
__global__ void scale_kernel(const double* losses, std::int64_t count, const double* squares, double clip,
                             double* scale) {
  bool finite = squares == nullptr || isfinite(*squares);
  for (std::int64_t i = threadIdx.x; i < count; i += kWarp) finite = finite && isfinite(losses[i]);
  finite = __all_sync(kAllLanes, finite);
  if (threadIdx.x > 0) return;
  const double norm = squares == nullptr ? 0.0 : sqrt(*squares);
  *scale = !finite ? static_cast<double>(NAN) : clip > 0 && norm > clip ? clip / norm : 1.0;
}

}  // namespace

void Optimiser::do_update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const {
  launch(*this, scale_kernel, 1, kWarp, 0, elements<const double>(losses), losses.absent() ? 0 : losses.count(),
         elements<const double>(squares), clip, elements<double>(scale));
}

void Optimiser::do_adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
                        Array& copy) const {
  const std::int64_t count = theta.count();
  const bool quads = by_quads({&g, &theta, &m, &v, &copy});
  dispatch(theta.dtype(), [&]<class T>() {
    dispatch(copy ? copy.dtype() : theta.dtype(), [&]<class Copy>() {
      launch(*this, adam_kernel<T, Copy>, divide_up(count, kTile), kThreads, 0, AdamFactors(step),
             elements<const double>(scale), count, quads,
             AdamBlocks<T, Copy>{elements<const T>(g), elements<T>(theta), elements<T>(m), elements<T>(v),
                                 elements<Copy>(copy)});
    });
  });
}

void Optimiser::do_nesterov(const Array& g, const Array& scale, const NesterovStep& step, Array& theta, Array& v,
                            Array& copy) const {
  const std::int64_t count = theta.count();
  const bool quads = by_quads({&g, &theta, &v, &copy});
  dispatch(theta.dtype(), [&]<class T>() {
    dispatch(copy ? copy.dtype() : theta.dtype(), [&]<class Copy>() {
      launch(*this, nesterov_kernel<T, Copy>, divide_up(count, kTile), kThreads, 0, NesterovFactors(step),
             elements<const double>(scale), count, quads,
             NesterovBlocks<T, Copy>{elements<const T>(g), elements<T>(theta), elements<T>(v), elements<Copy>(copy)});
    });
  });
}

void Optimiser::do_moving_average(const Array& x, const Array& scale, double decay, Array& mean) const {
  const std::int64_t count = mean.count();
  dispatch(mean.dtype(), [&]<class T>() {
    launch(*this, average_kernel<T>, divide_up(count, kTile), kThreads, 0, static_cast<float>(decay),
           static_cast<float>(1 - decay), elements<const double>(scale), count, by_quads({&x, &mean}),
           elements<const T>(x), elements<T>(mean));
  });
}

}  // namespace dragoman::cuda
