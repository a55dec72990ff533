#include <functional>

#include "dragoman/backend/cpu/cpu_backend.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu {

namespace {

// How an element-wise kernel is cut into pieces: stretches of kStretch elements if all its arrays are contiguous, else
// blocks of rows.
constexpr std::int64_t kStretch = 16384;

struct Cut {
  std::int64_t rows, cols;
  bool flat;

  template <class... Arrays>
  explicit Cut(const Array& x, const Arrays&... others)
      : rows(x.rows()), cols(x.cols()), flat(x.contiguous() && (others.contiguous() && ...)) {}

  std::int64_t pieces() const { return flat ? divide_up(rows * cols, kStretch) : divide_up(rows, kRowBlock); }

  // Calls body(row, column, count) for each run of neighbouring elements of a piece.
  template <class Body>
  void for_runs(std::int64_t piece, const Body& body) const {
    if (flat) return body(0, piece * kStretch, std::min(kStretch, rows * cols - piece * kStretch));
    for_rows(rows, piece, [&](std::int64_t r) { body(r, 0, cols); });
  }
};

}  // namespace

// y = f(x...) into the sink, element by element; f takes and gives vectors. All elements are of one type.
template <class F, class... Arrays>
void CpuBackend::put_each(const Sink& y, const F& f, const Arrays&... x) const {
  dispatch(y.array.dtype(), [&]<class T>() {
    const auto put = [&](Matrix<T> Y, auto... X) {
      const Cut cut(y.array, x...);
      launch(cut.pieces(), [&](std::int64_t piece) {
        cut.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
          put_vectors(count, y.accumulates(), Y.row(r) + c, f, (X.row(r) + c)...);
        });
      });
    };
    put(matrix<T>(y.array), matrix<const T>(x)...);
  });
}

void CpuBackend::fill(Array& x, double value) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<T>(x);
    const Cut cut(x);
    launch(cut.pieces(), [&](std::int64_t piece) {
      cut.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
        std::fill_n(X.row(r) + c, count, static_cast<T>(value));
      });
    });
  });
}

void CpuBackend::scaled(const Array& x, double alpha, Sink y) const {
  if (!y.wanted()) return;
  check_same("scaled", x, y.array);
  dispatch(x.dtype(), [&]<class From>() {
    dispatch(y.array.dtype(), [&]<class To>() {
      const auto X = matrix<From>(x);
      const auto Y = matrix<To>(y.array);
      const To factor = static_cast<To>(alpha);
      const Cut cut(x, y.array);
      launch(cut.pieces(), [&](std::int64_t piece) {
        cut.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
          const From* from = X.row(r) + c;
          To* to = Y.row(r) + c;
          if constexpr (std::is_same_v<From, To>) {
            const auto times = [factor](Vec<To> v) { return v * factor; };
            put_vectors(count, y.accumulates(), to, times, from);
          } else {
            for (std::int64_t i = 0; i < count; ++i) {
              to[i] = (y.accumulates() ? to[i] : To{0}) + static_cast<To>(from[i]) * factor;
            }
          }
        });
      });
    });
  });
}

void CpuBackend::add(const Array& a, const Array& b, Array& y) const {
  require<ShapeError>(same_extents(a, b) && same_extents(a, y), "add: a is ", a.shape(), ", b ", b.shape(), ", y ",
                      y.shape());
  dispatch(a.dtype(), [&]<class T>() {
    const auto A = matrix<T>(a), B = matrix<T>(b), Y = matrix<T>(y);
    const Cut cut(a, b, y);
    launch(cut.pieces(), [&](std::int64_t piece) {
      cut.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
        map_vectors(count, Y.row(r) + c, std::plus<>(), A.row(r) + c, B.row(r) + c);
      });
    });
  });
}

void CpuBackend::add_bias(const Array& x, const Array& b, Array& y) const {
  check_same("add_bias", x, y);
  require<ShapeError>(b.count() == x.cols(), "add_bias: x is ", x.shape(), " but b is ", b.shape());
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    const T* bias = b.data<T>();
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) { map_vectors(X.cols, Y.row(r), std::plus<>(), X.row(r), bias); });
    });
  });
}

// First the rows of each block, then the blocks, both in rising order.
void CpuBackend::sum_rows(const Array& x, Sink total) const {
  if (!total.wanted()) return;
  require<ShapeError>(total.array.count() == x.cols(), "sum_rows: x is ", x.shape(), " but its sum is ",
                      total.array.shape());
  const std::int64_t blocks = divide_up(x.rows(), kRowBlock);
  const ArenaScope scratch(arena());
  const Array partial = empty({blocks, x.cols()}, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto sums = matrix<T>(partial);

    launch(blocks, [&](std::int64_t block) {
      T* row = sums.row(block);
      std::fill_n(row, X.cols, T{0});
      for_rows(X.rows, block, [&](std::int64_t r) { map_vectors(X.cols, row, std::plus<>(), row, X.row(r)); });
    });
    T* out = total.array.data<T>();
    constexpr std::int64_t kColumns = 256;
    launch(divide_up(X.cols, kColumns), [&](std::int64_t piece) {
      const std::int64_t first = piece * kColumns, count = std::min(kColumns, X.cols - first);
      T columns[kColumns] = {};
      for (std::int64_t block = 0; block < blocks; ++block) {
        map_vectors(count, columns, std::plus<>(), columns, sums.row(block) + first);
      }
      put_vectors(count, total.accumulates(), out + first, std::identity(), columns);
    });
  });
}

void CpuBackend::relu(const Array& x, Array& y) const {
  check_same("relu", x, y);
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    const Cut cut(x, y);
    launch(cut.pieces(), [&](std::int64_t piece) {
      cut.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
        const auto positive = [](Vec<T> v) { return v < 0 ? Vec<T>{} : v; };
        map_vectors(count, Y.row(r) + c, positive, X.row(r) + c);
      });
    });
  });
}

void CpuBackend::relu_backward(const Array& dy, const Array& y, Sink dx) const {
  if (!dx.wanted()) return;
  require<ShapeError>(same_extents(dy, y) && same_extents(dy, dx.array), "relu_backward: dy is ", dy.shape(), ", y ",
                      y.shape(), ", dx ", dx.array.shape());
  dispatch(dy.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy), Y = matrix<const T>(y);
    const auto DX = matrix<T>(dx.array);
    const Cut cut(dy, y, dx.array);
    launch(cut.pieces(), [&](std::int64_t piece) {
      cut.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
        const auto gate = [](Vec<T> d, Vec<T> v) { return v > 0 ? d : Vec<T>{}; };
        put_vectors(count, dx.accumulates(), DX.row(r) + c, gate, DY.row(r) + c, Y.row(r) + c);
      });
    });
  });
}

void CpuBackend::do_multiply(const Array& a, const Array& b, Sink y) const {
  put_each(
      y, [](auto v, auto w) { return v * w; }, a, b);
}

void CpuBackend::do_tanh(const Array& x, Array& y) const {
  put_each(
      Sink::overwrite(y), [](auto v) { return cpu::tanh(v); }, x);
}

void CpuBackend::do_tanh_backward(const Array& dy, const Array& y, Sink dx) const {
  put_each(
      dx, [](auto d, auto v) { return d * (1 - v * v); }, dy, y);
}

void CpuBackend::do_sigmoid(const Array& x, Array& y) const {
  put_each(
      Sink::overwrite(y), [](auto v) { return cpu::sigmoid(v); }, x);
}

void CpuBackend::do_sigmoid_backward(const Array& dy, const Array& y, Sink dx) const {
  put_each(
      dx, [](auto d, auto v) { return d * v * (1 - v); }, dy, y);
}

void CpuBackend::dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const {
  if (!dropout.on()) return scaled(x, 1, y);
  if (!y.wanted()) return;
  check_same("dropout", x, y.array);
  require<ShapeError>(segments.R == x.rows(), "dropout: x is ", x.shape(), " but the segments have ", segments.R,
                      " rows");
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y.array);
    const RowDropout dropped(dropout, segments);
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        dropped.for_chunks<T>(r, 0, X.cols, [&](std::int64_t first, std::int64_t count, const T* factors) {
          put_vectors(count, y.accumulates(), Y.row(r) + first, std::multiplies<>(), X.row(r) + first, factors);
        });
      });
    });
  });
}

void CpuBackend::transpose(const Array& x, Sink y) const {
  if (!y.wanted()) return;
  require<ShapeError>(x.rows() == y.array.cols() && x.cols() == y.array.rows(), "transpose: x is ", x.shape(),
                      " but y is ", y.array.shape());
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y.array);
    // A square tile of each fits the innermost cache, whichever of the two is read along its columns.
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for (std::int64_t left = 0; left < X.cols; left += kRowBlock) {
        const std::int64_t right = std::min(X.cols, left + kRowBlock);
        for_rows(X.rows, block, [&](std::int64_t r) {
          for (std::int64_t c = left; c < right; ++c) {
            T& to = Y.row(c)[r];
            to = y.accumulates() ? to + X.row(r)[c] : X.row(r)[c];
          }
        });
      }
    });
  });
}

template <class Term>
void CpuBackend::sum_terms(const Array& x, double alpha, const Term& term, Sink total) const {
  require<ShapeError>(total.array.count() == 1, "sum: the sum of an array of shape ", x.shape(), " is ",
                      total.array.shape());
  const Cut cut(x);
  const ArenaScope scratch(arena());
  const Array partial = empty({cut.pieces()}, DType::kFloat64);
  double *sums = partial.data<double>(), *out = total.array.data<double>();
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    launch(cut.pieces(), [&](std::int64_t piece) {
      double piece_sum = 0;
      cut.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
        const T* run = X.row(r) + c;
        for (std::int64_t i = 0; i < count; ++i) piece_sum += term(static_cast<double>(run[i]));
      });
      sums[piece] = piece_sum;
    });
  });
  launch(1, [&](std::int64_t) {
    double all = 0;
    for (std::int64_t piece = 0; piece < cut.pieces(); ++piece) all += sums[piece];
    *out = alpha * all + (total.accumulates() ? *out : 0.0);
  });
}

void CpuBackend::sum(const Array& x, double alpha, Sink total) const {
  sum_terms(
      x, alpha, [](double element) { return element; }, total);
}

void CpuBackend::sum_of_squares(const Array& x, Array& total) const {
  sum_terms(
      x, 1.0, [](double element) { return element * element; }, Sink::overwrite(total));
}

}  // namespace dragoman::cpu
