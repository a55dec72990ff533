#include "dragoman/backend/cpu/elementwise.h"

#include <functional>
#include <type_traits>

#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// How the work of an element-wise kernel is split into pieces: into kPieceElements consecutive elements if all its
// arrays are contiguous (`flat`), otherwise into blocks of rows.
constexpr std::int64_t kPieceElements = 16384;

struct WorkSplit {
  std::int64_t rows, cols;
  bool flat;

  template <class... Arrays>
  explicit WorkSplit(const Array& x, const Arrays&... others)
      : rows(x.rows()), cols(x.cols()), flat(x.contiguous() && (others.contiguous() && ...)) {}

  std::int64_t pieces() const { return flat ? divide_up(rows * cols, kPieceElements) : divide_up(rows, kRowBlock); }

  // Calls body(row, column, count) for each run of consecutive elements of a piece. A flat piece is one run, addressed
  // as if all elements were columns of row 0.
  template <class Body>
  void for_runs(std::int64_t piece, const Body& body) const {
    if (flat) return body(0, piece * kPieceElements, std::min(kPieceElements, rows * cols - piece * kPieceElements));
    for_rows(rows, piece, [&](std::int64_t r) { body(r, 0, cols); });
  }
};

// y = f(x...) into the sink, element by element; f takes and returns vectors. All arrays have the same element type.
template <class F, class... Arrays>
void put_each(const Context& on, const Sink& y, const F& f, const Arrays&... x) {
  dispatch(y.array.dtype(), [&]<class T>() {
    const auto put = [&](Matrix<T> Y, auto... X) {
      const WorkSplit split(y.array, x...);
      on.launch(split.pieces(), [&](std::int64_t piece) {
        split.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
          put_vectors(count, y.accumulates(), Y.row(r) + c, f, (X.row(r) + c)...);
        });
      });
    };
    put(matrix<T>(y.array), matrix<const T>(x)...);
  });
}

template <class V>
using Lane = std::remove_cvref_t<decltype(V{}[0])>;

// The gates of x g(x): g(x), and its slope g'(x) from x and g = g(x).
struct SigmoidGate {
  GateCurve curve;

  template <class V>
  V value(V x) const {
    return DRAGOMAN_CPU_BODY::sigmoid(x * (static_cast<Lane<V>>(curve.a) + static_cast<Lane<V>>(curve.b) * x * x));
  }
  template <class V>
  V slope(V x, V g) const {
    return g * (1 - g) * (static_cast<Lane<V>>(curve.a) + static_cast<Lane<V>>(3 * curve.b) * x * x);
  }
};
struct NormalGate {
  template <class V>
  V value(V x) const {
    return normal_distribution(x);
  }
  template <class V>
  V slope(V x, V) const {
    constexpr double kDensityAtZero = 0.39894228040143268;  // 1 / sqrt(2 pi)
    return DRAGOMAN_CPU_BODY::exp(x * x * static_cast<Lane<V>>(-0.5)) * static_cast<Lane<V>>(kDensityAtZero);
  }
};

// Calls use(g) with the gate g.
template <class Use>
void with_gate(SelfGate gate, const Use& use) {
  gate == SelfGate::kGelu ? use(NormalGate{}) : use(SigmoidGate{curve_of(gate)});
}

// total = alpha times the sum of term(element) over all elements, into the sink. The order is fixed: first the elements
// of each piece, then the pieces.
template <class Term>
void sum_terms(const Context& on, const Array& x, double alpha, const Term& term, const Sink& total) {
  const WorkSplit split(x);
  const ArenaScope scratch(on.arena());
  const Array partial = on.empty({split.pieces()}, DType::kFloat64);
  double *sums = partial.data<double>(), *out = total.array.data<double>();
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    on.launch(split.pieces(), [&](std::int64_t piece) {
      double piece_sum = 0;
      split.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
        const T* run = X.row(r) + c;
        for (std::int64_t i = 0; i < count; ++i) piece_sum += term(static_cast<double>(run[i]));
      });
      sums[piece] = piece_sum;
    });
  });
  on.launch(1, [&](std::int64_t) {
    double all = 0;
    for (std::int64_t piece = 0; piece < split.pieces(); ++piece) all += sums[piece];
    *out = alpha * all + (total.accumulates() ? *out : 0.0);
  });
}

}  // namespace

void Elementwise::do_fill(Array& x, double value) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<T>(x);
    const WorkSplit split(x);
    launch(split.pieces(), [&](std::int64_t piece) {
      split.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
        std::fill_n(X.row(r) + c, count, static_cast<T>(value));
      });
    });
  });
}

void Elementwise::do_scaled(const Array& x, double alpha, Sink y) const {
  dispatch(x.dtype(), [&]<class From>() {
    dispatch(y.array.dtype(), [&]<class To>() {
      const auto X = matrix<From>(x);
      const auto Y = matrix<To>(y.array);
      const To factor = static_cast<To>(alpha);
      const WorkSplit split(x, y.array);
      launch(split.pieces(), [&](std::int64_t piece) {
        split.for_runs(piece, [&](std::int64_t r, std::int64_t c, std::int64_t count) {
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

void Elementwise::do_add(const Array& a, const Array& b, Array& y) const {
  put_each(*this, Sink::overwrite(y), std::plus<>(), a, b);
}

void Elementwise::do_add_bias(const Array& x, const Array& b, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    const T* bias = b.data<T>();
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) { map_vectors(X.cols, Y.row(r), std::plus<>(), X.row(r), bias); });
    });
  });
}

// The order of the sum is fixed: first the rows of each block, then the blocks, both in ascending order.
void Elementwise::do_sum_rows(const Array& x, Sink total) const {
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

void Elementwise::do_relu(const Array& x, Array& y) const {
  put_each(
      *this, Sink::overwrite(y), [](auto v) { return v < 0 ? decltype(v){} : v; }, x);
}

void Elementwise::do_relu_backward(const Array& dy, const Array& y, Sink dx) const {
  put_each(
      *this, dx, [](auto d, auto v) { return v > 0 ? d : decltype(d){}; }, dy, y);
}

void Elementwise::do_multiply(const Array& a, const Array& b, Sink y) const {
  put_each(
      *this, y, [](auto v, auto w) { return v * w; }, a, b);
}

void Elementwise::do_tanh(const Array& x, Array& y) const {
  put_each(
      *this, Sink::overwrite(y), [](auto v) { return DRAGOMAN_CPU_BODY::tanh(v); }, x);
}

void Elementwise::do_tanh_backward(const Array& dy, const Array& y, Sink dx) const {
  put_each(
      *this, dx, [](auto d, auto v) { return d * (1 - v * v); }, dy, y);
}

void Elementwise::do_sigmoid(const Array& x, Array& y) const {
  put_each(
      *this, Sink::overwrite(y), [](auto v) { return DRAGOMAN_CPU_BODY::sigmoid(v); }, x);
}

void Elementwise::do_sigmoid_backward(const Array& dy, const Array& y, Sink dx) const {
  put_each(
      *this, dx, [](auto d, auto v) { return d * v * (1 - v); }, dy, y);
}

void Elementwise::do_gated(const Array& x, SelfGate gate, Array& y) const {
  with_gate(gate, [&](auto g) {
    put_each(
        *this, Sink::overwrite(y), [g](auto v) { return v * g.value(v); }, x);
  });
}

void Elementwise::do_gated_backward(const Array& dy, const Array& x, SelfGate gate, Sink dx) const {
  with_gate(gate, [&](auto g) {
    const auto gradient = [g](auto d, auto v) {
      const auto open = g.value(v);
      return d * (open + v * g.slope(v, open));
    };
    put_each(*this, dx, gradient, dy, x);
  });
}

void Elementwise::do_dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const {
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

void Elementwise::do_transpose(const Array& x, Sink y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y.array);
    // Square tiles: a tile of x and one of y both fit the first-level cache, though one of them is accessed by columns.
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

void Elementwise::do_sum(const Array& x, double alpha, Sink total) const {
  sum_terms(
      *this, x, alpha, [](double element) { return element; }, total);
}

void Elementwise::do_sum_of_squares(const Array& x, Array& total) const {
  sum_terms(
      *this, x, 1.0, [](double element) { return element * element; }, Sink::overwrite(total));
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
