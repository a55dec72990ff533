// The kernels of Norm for weight normalisation.
#include <cmath>
#include <functional>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/norm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// A piece of work is a tile of this many columns with all their rows.
constexpr std::int64_t kColumns = 64;

// dots[i] = a . b for column first + i of two matrices, for every i < count.
template <class T>
void column_dots(const Matrix<const T>& a, const Matrix<const T>& b, std::int64_t first, std::int64_t count, T* dots) {
  std::fill_n(dots, count, T{0});
  const auto add = [](Vec<T> sum, Vec<T> x, Vec<T> y) { return sum + x * y; };
  for (std::int64_t r = 0; r < a.rows; ++r) map_vectors(count, dots, add, dots, a.row(r) + first, b.row(r) + first);
}

// Whether the matrix is a vector in contiguous memory. Such a column is vectorised over its rows.
template <class T>
bool is_vector(const Matrix<T>& x) {
  return x.cols == 1 && x.stride == 1;
}

template <class T>
struct WeightNorm {
  Matrix<const T> v;
  const T* g;
  Matrix<T> W;
  T* lengths;

  void tile(std::int64_t first, std::int64_t count) const {
    T scale[kColumns];
    column_dots(v, v, first, count, scale);
    map_vectors(count, lengths + first, sqrt<T>, scale);
    map_vectors(count, scale, std::divides<>(), g + first, lengths + first);
    for (std::int64_t r = 0; r < v.rows; ++r) {
      map_vectors(count, W.row(r) + first, std::multiplies<>(), v.row(r) + first, scale);
    }
  }

  void vector() const {
    const T length = std::sqrt(sum_vectors<T>(v.rows, std::multiplies<>(), v.data, v.data)), scale = g[0] / length;
    map_vectors(
        v.rows, W.data, [scale](Vec<T> x) { return x * scale; }, v.data);
    lengths[0] = length;
  }
};

// dv = scale (dW - along v), with scale = g / |v| and along = (dW . u) / |v|. The data of an unwanted gradient is null.
template <class T>
struct WeightNormBackward {
  Matrix<const T> dW, v;
  const T *g, *lengths;
  Matrix<T> dv;
  T* dg;
  bool dv_accumulates, dg_accumulates;

  void tile(std::int64_t first, std::int64_t count) const {
    T along_u[kColumns];  // dW . u
    column_dots(dW, v, first, count, along_u);
    map_vectors(count, along_u, std::divides<>(), along_u, lengths + first);
    if (dg != nullptr) put_vectors(count, dg_accumulates, dg + first, std::identity(), along_u);
    if (dv.data == nullptr) return;

    T scale[kColumns], along[kColumns];
    map_vectors(count, scale, std::divides<>(), g + first, lengths + first);
    map_vectors(count, along, std::divides<>(), along_u, lengths + first);
    const auto gradient = [](Vec<T> dw, Vec<T> x, Vec<T> s, Vec<T> a) { return s * (dw - a * x); };
    for (std::int64_t r = 0; r < v.rows; ++r) {
      put_vectors(count, dv_accumulates, dv.row(r) + first, gradient, dW.row(r) + first, v.row(r) + first, scale,
                  along);
    }
  }

  void vector() const {
    const T length = lengths[0];
    const T along_u = sum_vectors<T>(v.rows, std::multiplies<>(), dW.data, v.data) / length;
    if (dg != nullptr) dg[0] = dg_accumulates ? dg[0] + along_u : along_u;
    if (dv.data == nullptr) return;
    const auto gradient = [scale = g[0] / length, along = along_u / length](Vec<T> dw, Vec<T> x) {
      return scale * (dw - along * x);
    };
    put_vectors(v.rows, dv_accumulates, dv.data, gradient, dW.data, v.data);
  }
};

template <class Norm>
void launch_tiles(const Context& on, const Norm& norm) {
  const std::int64_t cols = norm.v.cols;
  on.launch(divide_up(cols, kColumns),
            [&](std::int64_t tile) { norm.tile(tile * kColumns, std::min(kColumns, cols - tile * kColumns)); });
}

}  // namespace

void Norm::do_weight_norm(const Array& v, const Array& g, Array& W, Array& lengths) const {
  dispatch(v.dtype(), [&]<class T>() {
    const WeightNorm<T> norm{matrix<const T>(v), g.data<const T>(), matrix<T>(W), lengths.data<T>()};
    if (is_vector(norm.v) && is_vector(norm.W)) return launch(1, [&](std::int64_t) { norm.vector(); });
    launch_tiles(*this, norm);
  });
}

void Norm::do_weight_norm_backward(const Array& dW, const Array& v, const Array& g, const Array& lengths, Sink dv,
                                   Sink dg) const {
  dispatch(v.dtype(), [&]<class T>() {
    const WeightNormBackward<T> norm{
        .dW = matrix<const T>(dW),
        .v = matrix<const T>(v),
        .g = g.data<const T>(),
        .lengths = lengths.data<const T>(),
        .dv = dv.wanted() ? matrix<T>(dv.array) : Matrix<T>{},
        .dg = dg.wanted() ? dg.array.data<T>() : nullptr,
        .dv_accumulates = dv.accumulates(),
        .dg_accumulates = dg.accumulates(),
    };
    const bool vectors = is_vector(norm.dW) && is_vector(norm.v) && (!dv.wanted() || is_vector(norm.dv));
    if (vectors) return launch(1, [&](std::int64_t) { norm.vector(); });
    launch_tiles(*this, norm);
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
