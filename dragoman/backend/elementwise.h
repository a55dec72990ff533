// Token-wise and element-wise kernels of the plain compositions: the contract.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// Which rows of a matrix are taken, and for each of its rows by whom: with it the gradient of the matrix is summed in
// an order that depends on the index alone. ops/take_rows.h makes it.
struct RowIndex {
  std::int64_t rows = 0;  // of the matrix
  bool distinct = true;   // no row is taken twice
  Array taken;            // int32 [n]: element i takes row taken[i]
  Array starts;           // int32 [rows + 1]: row r is taken by takers[starts[r]] up to takers[starts[r + 1]], ...
  Array takers;           // int32 [n]: ... in rising order
};

class ElementwiseKernels {
 public:
  virtual ~ElementwiseKernels() = default;

  void fill(Array& x, double value) const;
  // y = alpha x, into the sink: copies, scales, and adds gradients. x and y may be ranges of columns and differ in
  // element type.
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
  // y = x with elements dropped; its own backward, applied to dy.
  void dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const;
  // y = x^T for a matrix, into the sink.
  void transpose(const Array& x, Sink y) const;
  // y[i] = x[index.taken[i]], into the sink.
  void take_rows(const Array& x, const RowIndex& index, Sink y) const;
  // dx[r] = sum of dy[i] over the i that took row r; zero for a row that nobody took.
  void take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const;
  // y[rows[i]] = x[i], of the same type; other rows of y stay as they are. No row comes twice.
  void place_rows(const Array& x, const Array& rows, const Array& y) const;
  // The sum of all elements in a fixed order, in double, times alpha: total is float64 [1].
  void sum(const Array& x, double alpha, Sink total) const;
  // The sum of all squares, in the same way.
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
  virtual void do_dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const = 0;
  virtual void do_transpose(const Array& x, Sink y) const = 0;
  virtual void do_take_rows(const Array& x, const RowIndex& index, Sink y) const = 0;
  virtual void do_take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const = 0;
  virtual void do_place_rows(const Array& x, const Array& rows, const Array& y) const = 0;
  virtual void do_sum(const Array& x, double alpha, Sink total) const = 0;
  virtual void do_sum_of_squares(const Array& x, Array& total) const = 0;
};

}  // namespace dragoman
