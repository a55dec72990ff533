// The contract of the element-wise and row-wise kernels, which ops without a fused kernel are composed of.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// The rows of a matrix that take_rows gathers, and the inverse of this map, with which the gradient of the matrix is
// summed in an order that depends on the index alone. data/row_index.h makes it.
struct RowIndex {
  std::int64_t rows = 0;  // rows of the matrix
  bool distinct = true;   // no row is taken twice
  Array taken;            // int32 [n]: output row i is input row taken[i]
  Array starts;           // int32 [rows + 1]: input row r is copied to the output rows takers[starts[r]], ...,
                          // takers[starts[r + 1] - 1]
  Array takers;           // int32 [n]: output rows, in ascending order for each input row
};

// Smooth activations, each the input times a gate of its own: y = x g(x).
//   kSilu          g = sigmoid(x), also called swish
//   kGelu          g = Phi(x), the distribution function of the normal distribution
//   kGeluTanh      g = (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, an approximation of Phi
//   kGeluSigmoid   g = sigmoid(1.702 x), a coarser one
enum class SelfGate : std::uint8_t { kSilu, kGelu, kGeluTanh, kGeluSigmoid };

// kGeluTanh is sigmoid(a x + b x^3), because (1 + tanh u) / 2 = sigmoid(2 u); with b = 0 so are kSilu and kGeluSigmoid.
struct GateCurve {
  double a = 1, b = 0;
};
constexpr GateCurve curve_of(SelfGate gate) {
  constexpr double kTwiceRoot = 1.5957691216057308;  // 2 sqrt(2 / pi)
  switch (gate) {
    case SelfGate::kGeluTanh: return {kTwiceRoot, kTwiceRoot * 0.044715};
    case SelfGate::kGeluSigmoid: return {1.702, 0};
    default: return {};
  }
}

class ElementwiseKernels {
 public:
  virtual ~ElementwiseKernels() = default;

  void fill(Array& x, double value) const;
  // y = alpha x, into the sink. Also used to copy, to convert and to add up gradients: x and y may be ranges of columns
  // and may differ in element type.
  void scaled(const Array& x, double alpha, Sink y) const;
  void add(const Array& a, const Array& b, Array& y) const;
  // y = x + b, a vector added to every row. Backward: db is the sum of dy over rows.
  void add_bias(const Array& x, const Array& b, Array& y) const;
  void sum_rows(const Array& x, Sink total) const;
  // y = max(x, 0), and dx = dy where y > 0, else 0.
  void relu(const Array& x, Array& y) const;
  void relu_backward(const Array& dy, const Array& y, Sink dx) const;
  // y = a b, element by element, into the sink. Backward: da = dy b and db = dy a.
  void multiply(const Array& a, const Array& b, Sink y) const;
  // y = tanh(x), and dx = dy (1 - y^2).
  void tanh(const Array& x, Array& y) const;
  void tanh_backward(const Array& dy, const Array& y, Sink dx) const;
  // y = 1 / (1 + e^-x), and dx = dy y (1 - y).
  void sigmoid(const Array& x, Array& y) const;
  void sigmoid_backward(const Array& dy, const Array& y, Sink dx) const;
  // y = x g(x), and dx = dy (g(x) + x g'(x)).
  void gated(const Array& x, SelfGate gate, Array& y) const;
  void gated_backward(const Array& dy, const Array& x, SelfGate gate, Sink dx) const;
  // y = x with elements dropped, into the sink. Backward is the same kernel applied to dy.
  void dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const;
  // y = x^T for a matrix, into the sink.
  void transpose(const Array& x, Sink y) const;
  // y[i] = x[index.taken[i]], into the sink.
  void take_rows(const Array& x, const RowIndex& index, Sink y) const;
  // dx[r] = sum of dy[i] over all i with taken[i] = r; zero for a row that was not taken.
  void take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const;
  // y[rows[i]] = x[i]; the other rows of y keep their contents. x and y have the same element type, and `rows` holds no
  // row twice.
  void place_rows(const Array& x, const Array& rows, const Array& y) const;
  // alpha times the sum of all elements, added in double precision and in a fixed order; total is float64 [1].
  void sum(const Array& x, double alpha, Sink total) const;
  // The sum of the squares of all elements, computed in the same way.
  void sum_of_squares(const Array& x, Array& total) const;

 private:
  virtual void do_fill(Array& x, double value) const = 0;
  virtual void do_scaled(const Array& x, double alpha, Sink y) const = 0;
  virtual void do_add(const Array& a, const Array& b, Array& y) const = 0;
  virtual void do_add_bias(const Array& x, const Array& b, Array& y) const = 0;
  virtual void do_sum_rows(const Array& x, Sink total) const = 0;
  virtual void do_relu(const Array& x, Array& y) const = 0;
  virtual void do_relu_backward(const Array& dy, const Array& y, Sink dx) const = 0;
  virtual void do_multiply(const Array& a, const Array& b, Sink y) const = 0;
  virtual void do_tanh(const Array& x, Array& y) const = 0;
  virtual void do_tanh_backward(const Array& dy, const Array& y, Sink dx) const = 0;
  virtual void do_sigmoid(const Array& x, Array& y) const = 0;
  virtual void do_sigmoid_backward(const Array& dy, const Array& y, Sink dx) const = 0;
  virtual void do_gated(const Array& x, SelfGate gate, Array& y) const = 0;
  virtual void do_gated_backward(const Array& dy, const Array& x, SelfGate gate, Sink dx) const = 0;
  virtual void do_dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const = 0;
  virtual void do_transpose(const Array& x, Sink y) const = 0;
  virtual void do_take_rows(const Array& x, const RowIndex& index, Sink y) const = 0;
  virtual void do_take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const = 0;
  virtual void do_place_rows(const Array& x, const Array& rows, const Array& y) const = 0;
  virtual void do_sum(const Array& x, double alpha, Sink total) const = 0;
  virtual void do_sum_of_squares(const Array& x, Array& total) const = 0;
};

}  // namespace dragoman
