#include "dragoman/backend/cpu/convolution.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

enum class Reads : std::int8_t { kForward = 1, kBackward = -1 };

// y[r] = the sum over taps j of w[j] times the row of x that tap j of r reads, or (kBackward) whose tap j reads r;
// element by element. Returns the number of products of elements.
template <class T>
std::int64_t weigh_rows(std::int64_t block, Matrix<const T> x, const std::int32_t* position, const Taps& taps,
                        Matrix<const T> w, Reads reads, Matrix<T> y, bool accumulate) {
  std::int64_t products = 0;
  for_rows(x.rows, block, [&](std::int64_t r) {
    bool accumulates = accumulate;
    for (std::int64_t j = 0; j < taps.k; ++j) {
      const std::int64_t offset = static_cast<std::int64_t>(reads) * taps.offset(j);
      if (!in_same_sentence(position, r, offset, x.rows)) continue;
      put_vectors(x.cols, accumulates, y.row(r), std::multiplies<Vec<T>>(), w.row(j), x.row(r + offset));
      accumulates = true;
      products += x.cols;
    }
    if (!accumulates) std::fill_n(y.row(r), y.cols, T{0});
  });
  return products;
}

}  // namespace

void Convolution::do_unfold_rows(const Array& x, const Segments& segments, const Taps& taps, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    const auto* position = segments.position.data<std::int32_t>();
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        for (std::int64_t j = 0; j < taps.k; ++j) {
          const std::int64_t offset = taps.offset(j);
          T* to = Y.row(r) + j * X.cols;
          if (in_same_sentence(position, r, offset, X.rows)) {
            std::copy_n(X.row(r + offset), X.cols, to);
          } else {
            std::fill_n(to, X.cols, T{0});
          }
        }
      });
    });
  });
}

void Convolution::do_unfold_rows_backward(const Array& dy, const Segments& segments, const Taps& taps, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy);
    const auto DX = matrix<T>(dx.array);
    const auto* position = segments.position.data<std::int32_t>();
    launch(divide_up(DX.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(DX.rows, block, [&](std::int64_t r) {
        // The first row that is added overwrites, unless the sink accumulates.
        bool accumulates = dx.accumulates();
        for (std::int64_t j = 0; j < taps.k; ++j) {
          const std::int64_t reader = -taps.offset(j);
          if (!in_same_sentence(position, r, reader, DX.rows)) continue;
          put_vectors(DX.cols, accumulates, DX.row(r), std::identity(), DY.row(r + reader) + j * DX.cols);
          accumulates = true;
        }
        if (!accumulates) std::fill_n(DX.row(r), DX.cols, T{0});
      });
    });
  });
}

void Convolution::do_unfold_cells(const Array& x, const Array& cells, const Array& lengths, const Taps& taps,
                                  const Array& stored, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto stored_rows = matrix<T>(stored), Y = matrix<T>(y);
    const auto cell = matrix<const std::int32_t>(cells);
    const auto* length = lengths.data<std::int32_t>();
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        std::copy_n(X.row(r), X.cols, stored_rows.row(cell.row(r)[length[r]]));
        for (std::int64_t j = 0; j < taps.k; ++j) {
          const std::int64_t token = length[r] + taps.offset(j);
          T* to = Y.row(r) + j * X.cols;
          if (token >= 0) {
            std::copy_n(stored_rows.row(cell.row(r)[token]), X.cols, to);
          } else {
            std::fill_n(to, X.cols, T{0});
          }
        }
      });
    });
  });
}

void Convolution::do_depthwise(const Array& x, const Segments& segments, const Taps& taps, const Array& w,
                               Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x), W = matrix<const T>(w);
    const auto Y = matrix<T>(y);
    const auto* position = segments.position.data<std::int32_t>();
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      const std::int64_t products = weigh_rows(block, X, position, taps, W, Reads::kForward, Y, false);
      if (OperationCounter* counter = operations()) counter->add_executed(products);
    });
  });
}

void Convolution::do_depthwise_backward(const Array& dy, const Array& x, const Segments& segments, const Taps& taps,
                                        const Array& w, Sink dx, Sink dw) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy), X = matrix<const T>(x), W = matrix<const T>(w);
    const auto* position = segments.position.data<std::int32_t>();
    if (dx.wanted()) {
      const auto DX = matrix<T>(dx.array);
      launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
        const std::int64_t products = weigh_rows(block, DY, position, taps, W, Reads::kBackward, DX, dx.accumulates());
        if (OperationCounter* counter = operations()) counter->add_executed(products);
      });
    }
    if (!dw.wanted()) return;
    // One piece of work is a few columns of one tap.
    constexpr std::int64_t kColumns = 64;
    const auto DW = matrix<T>(dw.array);
    const std::int64_t groups = divide_up(X.cols, kColumns);
    launch(taps.k * groups, [&](std::int64_t piece) {
      const std::int64_t j = piece / groups, first = piece % groups * kColumns;
      const std::int64_t columns = std::min(kColumns, X.cols - first), offset = taps.offset(j);
      T sums[kColumns] = {};
      std::int64_t products = 0;
      for (std::int64_t r = 0; r < X.rows; ++r) {
        if (!in_same_sentence(position, r, offset, X.rows)) continue;
        const T *d = DY.row(r) + first, *read = X.row(r + offset) + first;
        for (std::int64_t c = 0; c < columns; ++c) sums[c] += d[c] * read[c];
        products += columns;
      }
      put_vectors(columns, dw.accumulates(), DW.row(j) + first, std::identity(), sums);
      if (OperationCounter* counter = operations()) counter->add_executed(products);
    });
  });
}

void Convolution::do_glu(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        map_vectors(
            Y.cols, Y.row(r), [](auto a, auto b) { return a * DRAGOMAN_CPU_BODY::sigmoid(b); }, X.row(r),
            X.row(r) + Y.cols);
      });
    });
  });
}

void Convolution::do_glu_backward(const Array& dy, const Array& x, Sink dx) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy), X = matrix<const T>(x);
    const auto DX = matrix<T>(dx.array);
    const auto to_a = [](auto d, auto b) { return d * DRAGOMAN_CPU_BODY::sigmoid(b); };
    const auto to_b = [](auto d, auto a, auto b) {
      const auto gate = DRAGOMAN_CPU_BODY::sigmoid(b);
      return d * a * gate * (1 - gate);
    };
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        const T *d = DY.row(r), *a = X.row(r), *b = a + DY.cols;
        put_vectors(DY.cols, dx.accumulates(), DX.row(r), to_a, d, b);
        put_vectors(DY.cols, dx.accumulates(), DX.row(r) + DY.cols, to_b, d, a, b);
      });
    });
  });
}

void Convolution::do_scaled_sum(const Array& a, const Array& b, double alpha, Array& y) const {
  dispatch(a.dtype(), [&]<class T>() {
    const auto A = matrix<const T>(a), B = matrix<const T>(b);
    const auto Y = matrix<T>(y);
    const auto sum = [factor = static_cast<T>(alpha)](Vec<T> v, Vec<T> w) { return (v + w) * factor; };
    launch(divide_up(A.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(A.rows, block, [&](std::int64_t r) { map_vectors(A.cols, Y.row(r), sum, A.row(r), B.row(r)); });
    });
  });
}

void Convolution::do_scale_by_root_length(const Array& x, const Segments& segments, double alpha, Sink y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y.array);
    const auto *sentence = segments.sentence.data<std::int32_t>(), *offset = segments.offsets.data<std::int32_t>();
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        const std::int32_t b = sentence[r] - segments.first_sentence;
        const T factor = static_cast<T>(alpha * std::sqrt(static_cast<double>(offset[b + 1] - offset[b])));
        put_vectors(
            X.cols, y.accumulates(), Y.row(r), [factor](Vec<T> v) { return v * factor; }, X.row(r));
      });
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
