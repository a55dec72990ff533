#include "dragoman/backend/cuda/depth.h"

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

// One warp handles one row, in groups of eight channels (Eight in kernel.cuh): lane i owns the groups i, i + 32, ... So
// what a row computes does not depend on the other rows.
constexpr int kWarps = 4;

// Calls body(r) for the row of this warp.
template <class Body>
__device__ void for_own_row(std::int64_t rows, const Body& body) {
  const std::int64_t r = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / kWarp;
  if (r < rows) body(r);
}
// Calls body(first) for the first channel of each group of this lane.
template <class Body>
__device__ void for_own_groups(std::int64_t cols, const Body& body) {
  for (std::int64_t first = 8 * (threadIdx.x % kWarp); first < cols; first += 8 * kWarp) body(first);
}
__device__ bool first_lane() { return threadIdx.x % kWarp == 0; }

template <class F>
__device__ Eight<float> eight_values(const F& f) {
  Eight<float> y;
#pragma unroll
  for (int i = 0; i < 8; ++i) y.at[i] = f(i);
  return y;
}

template <class... Parameters, class... Arguments>
void launch_rows(const Context& on, void (*kernel)(Parameters...), std::int64_t rows, const Arguments&... arguments) {
  launch(on, kernel, divide_up(rows, kWarps), kWarps * kWarp, 0, arguments...);
}

template <class T>
Matrix<const T> optional_matrix(const Array& x) {
  return x ? matrix<const T>(x) : Matrix<const T>{};
}
const float* optional_floats(const Array& x) { return x ? elements<const float>(x) : nullptr; }

template <bool kPacked, class T>
__global__ void __launch_bounds__(kWarps* kWarp)
    coordinates_kernel(Matrix<const T> x, const std::int32_t* position, Matrix<const float> P, const float* s,
                       float scale, Matrix<T> y) {
  for_own_row(x.rows, [&](std::int64_t r) {
    const float* place = P.row(position[r]);
    for_own_groups(x.cols, [&](std::int64_t first) {
      const Eight<T> v = load_eight<kPacked>(x.row(r), first, x.cols);
      const Eight<float> p = load_eight<kPacked>(place, first, x.cols), t = load_eight<kPacked>(s, first, x.cols);
      const Eight<float> sum = eight_values([&](int i) { return v[i] + (p[i] + scale * t[i]); });
      store_eight<kPacked>(rounded_to<T>(sum), y.row(r), first, x.cols);
    });
  });
}

// The arrays of `halt`, named as in the contract.
template <class T>
struct HaltArrays {
  Matrix<const T> x;
  const float *w, *b, *rest;
  float *steps, *p, *weight, *rest_after, *running;
};

template <bool kPacked, class T>
__global__ void __launch_bounds__(kWarps* kWarp) halt_kernel(HaltArrays<T> in, float t, bool last, float threshold) {
  for_own_row(in.x.rows, [&](std::int64_t r) {
    const bool runs = in.steps[r] == 0;
    float logit = 0;
    for_own_groups(in.x.cols, [&](std::int64_t first) {
      const Eight<T> x = load_eight<kPacked>(in.x.row(r), first, in.x.cols);
      const Eight<float> w = load_eight<kPacked>(in.w, first, in.x.cols);
#pragma unroll
      for (int i = 0; i < 8; ++i) logit += x[i] * w[i];
    });
    logit = warp_sum(logit) + *in.b;
    __syncwarp();  // every lane has read steps[r] before the first one writes it
    if (!first_lane()) return;
    const float rest = in.rest[r], p = runs ? 1 / (1 + expf(-logit)) : 0;
    const bool halts = runs && (last || rest - p < threshold), goes_on = runs && !halts;
    in.p[r] = p;
    in.weight[r] = halts ? rest : p;
    in.rest_after[r] = goes_on ? rest - p : rest;
    in.running[r] = runs ? 1 : 0;
    if (halts) in.steps[r] = t;
  });
}

// The arrays of `halt_backward`, named as in the contract; null if absent.
struct HaltGradients {
  std::int64_t rows, cols;
  const float *dweight, *drest_after, *w, *p, *steps;
  SinkRows<float> drest;
  float* dlogit;
};

template <bool kPacked, class G>
__global__ void __launch_bounds__(kWarps* kWarp) halt_backward_kernel(HaltGradients in, float t, SinkRows<G> dx) {
  for_own_row(in.rows, [&](std::int64_t r) {
    const float of_weight = in.dweight != nullptr ? in.dweight[r] : 0,
                of_rest = in.drest_after != nullptr ? in.drest_after[r] : 0, N = in.steps[r], p = in.p[r];
    // Before the last step the weight is p and the rest falls by p. In the last one the weight is the rest.
    const float dlogit = t < N ? (of_weight - of_rest) * p * (1 - p) : 0;
    if (first_lane()) {
      in.dlogit[r] = dlogit;
      if (in.drest.data != nullptr) in.drest.put(r, 0, t == N ? of_rest + of_weight : of_rest);
    }
    if (dx.data == nullptr) return;
    for_own_groups(in.cols, [&](std::int64_t first) {
      const Eight<float> w = load_eight<kPacked>(in.w, first, in.cols);
      put_eight<kPacked>(eight_values([&](int i) { return w[i] * dlogit; }), dx, r, first, in.cols);
    });
  });
}

// Y is T or float.
template <bool kPacked, class T, class Y>
__global__ void __launch_bounds__(kWarps* kWarp)
    blend_rows_kernel(Matrix<const T> a, Matrix<const T> x, const float* w, bool fades, Matrix<Y> y) {
  for_own_row(x.rows, [&](std::int64_t r) {
    const float weight = w[r], kept = fades ? 1 - weight : 1;
    for_own_groups(x.cols, [&](std::int64_t first) {
      const Eight<T> v = load_eight<kPacked>(x.row(r), first, x.cols);
      Eight<float> mixed = eight_values([&](int i) { return weight * v[i]; });
      if (a.data != nullptr) {
        const Eight<T> u = load_eight<kPacked>(a.row(r), first, x.cols);
        mixed = eight_values([&](int i) { return weight == 0 ? u[i] : kept * u[i] + mixed[i]; });
      }
      store_eight<kPacked>(rounded_to<Y>(mixed), y.row(r), first, x.cols);
    });
  });
}

// to = factor dy, where the factor of row r is w[r], or 1 - w[r], or 1.
enum class RowFactor { kWeight, kRest, kOne };
template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kWarps* kWarp)
    scale_rows_kernel(Matrix<const T> dy, const float* w, RowFactor which, SinkRows<G> to) {
  for_own_row(dy.rows, [&](std::int64_t r) {
    const float factor = which == RowFactor::kWeight ? w[r] : which == RowFactor::kRest ? 1 - w[r] : 1;
    for_own_groups(dy.cols, [&](std::int64_t first) {
      const Eight<T> d = load_eight<kPacked>(dy.row(r), first, dy.cols);
      put_eight<kPacked>(eight_values([&](int i) { return factor * d[i]; }), to, r, first, dy.cols);
    });
  });
}

// dw[r] = dy[r] . (x[r] - a[r]); a may be absent.
template <bool kPacked, class T>
__global__ void __launch_bounds__(kWarps* kWarp)
    weight_gradient_kernel(Matrix<const T> dy, Matrix<const T> a, Matrix<const T> x, SinkRows<float> dw) {
  for_own_row(x.rows, [&](std::int64_t r) {
    float sum = 0;
    for_own_groups(x.cols, [&](std::int64_t first) {
      const Eight<T> d = load_eight<kPacked>(dy.row(r), first, x.cols),
                     v = load_eight<kPacked>(x.row(r), first, x.cols);
      Eight<float> difference = eight_values([&](int i) { return v[i]; });
      if (a.data != nullptr) {
        const Eight<T> u = load_eight<kPacked>(a.row(r), first, x.cols);
        difference = eight_values([&](int i) { return v[i] - u[i]; });
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) sum += d[i] * difference[i];
    });
    sum = warp_sum(sum);
    if (first_lane()) dw.put(r, 0, sum);
  });
}

// A column as a vector, which may be read in groups of eight.
Array as_vector(const Array& w) { return w.reshaped({w.count()}); }

}  // namespace

void Depth::do_add_coordinates(const Array& x, const Array& position, const Array& P, const Array& s, double scale,
                               Array& y) const {
  const bool packed = in_eights({&x, &P, &s, &y});
  dispatch(x.dtype(), [&]<class T>() {
    launch_rows(*this, packed ? coordinates_kernel<true, T> : coordinates_kernel<false, T>, x.rows(),
                matrix<const T>(x), elements<const std::int32_t>(position), matrix<const float>(P),
                elements<const float>(s), static_cast<float>(scale), matrix<T>(y));
  });
}

void Depth::do_halt(const Array& x, const Array& w, const Array& b, const HaltStep& step, const Array& rest,
                    Array& steps, Array& p, Array& weight, Array& rest_after, Array& running) const {
  const Array vector = as_vector(w);
  const bool packed = in_eights({&x, &vector});
  dispatch(x.dtype(), [&]<class T>() {
    const HaltArrays<T> arrays{.x = matrix<const T>(x),
                               .w = elements<const float>(vector),
                               .b = elements<const float>(b),
                               .rest = elements<const float>(rest),
                               .steps = elements<float>(steps),
                               .p = elements<float>(p),
                               .weight = elements<float>(weight),
                               .rest_after = elements<float>(rest_after),
                               .running = elements<float>(running)};
    launch_rows(*this, packed ? halt_kernel<true, T> : halt_kernel<false, T>, x.rows(), arrays,
                static_cast<float>(step.t), step.last, static_cast<float>(step.threshold));
  });
}

void Depth::do_halt_backward(const Array& dweight, const Array& drest_after, const Array& w, const Array& p,
                             const Array& steps, int t, Sink dx, Sink drest, Array& dlogit) const {
  const Array vector = as_vector(w);
  const bool packed = dx.wanted() && in_eights({&dx.array, &vector});
  const HaltGradients arrays{.rows = p.count(),
                             .cols = w.count(),
                             .dweight = optional_floats(dweight),
                             .drest_after = optional_floats(drest_after),
                             .w = elements<const float>(vector),
                             .p = elements<const float>(p),
                             .steps = elements<const float>(steps),
                             .drest = sink_rows<float>(drest),
                             .dlogit = elements<float>(dlogit)};
  dispatch(type_of(dx, DType::kFloat32), [&]<class G>() {
    launch_rows(*this, packed ? halt_backward_kernel<true, G> : halt_backward_kernel<false, G>, p.count(), arrays,
                static_cast<float>(t), sink_rows<G>(dx));
  });
}

void Depth::do_blend_rows(const Array& a, const Array& x, const Array& w, OldRows old, Array& y) const {
  const bool packed = in_eights({&a, &x, &y});
  dispatch(x.dtype(), [&]<class T>() {
    dispatch(y.dtype(), [&]<class Y>() {
      launch_rows(*this, packed ? blend_rows_kernel<true, T, Y> : blend_rows_kernel<false, T, Y>, x.rows(),
                  optional_matrix<T>(a), matrix<const T>(x), elements<const float>(w), old == OldRows::kFade,
                  matrix<Y>(y));
    });
  });
}

void Depth::do_blend_rows_backward(const Array& dy, const Array& a, const Array& x, const Array& w, OldRows old,
                                   Sink da, Sink dx, Sink dw) const {
  const bool fades = old == OldRows::kFade;
  dispatch(x.dtype(), [&]<class T>() {
    const auto put_scaled = [&](RowFactor factor, const Sink& to) {
      if (!to.wanted()) return;
      const bool packed = in_eights({&dy, &to.array});
      dispatch(to.array.dtype(), [&]<class G>() {
        launch_rows(*this, packed ? scale_rows_kernel<true, T, G> : scale_rows_kernel<false, T, G>, x.rows(),
                    matrix<const T>(dy), elements<const float>(w), factor, sink_rows<G>(to));
      });
    };
    put_scaled(fades ? RowFactor::kRest : RowFactor::kOne, da);
    put_scaled(RowFactor::kWeight, dx);
    if (!dw.wanted()) return;
    const Array subtracted = fades ? a : Array();
    const bool packed = in_eights({&dy, &subtracted, &x});
    launch_rows(*this, packed ? weight_gradient_kernel<true, T> : weight_gradient_kernel<false, T>, x.rows(),
                matrix<const T>(dy), optional_matrix<T>(subtracted), matrix<const T>(x), sink_rows<float>(dw));
  });
}

}  // namespace dragoman::cuda
