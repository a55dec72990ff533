#include "dragoman/backend/elementwise.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

void ElementwiseKernels::fill(Array& x, double value) const { do_fill(x, value); }

void ElementwiseKernels::scaled(const Array& x, double alpha, Sink y) const {
  if (!y.wanted()) return;
  check_same("scaled", x, y.array);
  do_scaled(x, alpha, y);
}

void ElementwiseKernels::add(const Array& a, const Array& b, Array& y) const {
  require<ShapeError>(same_extents(a, b) && same_extents(a, y), "add: a is ", a.shape(), ", b ", b.shape(), ", y ",
                      y.shape());
  do_add(a, b, y);
}

void ElementwiseKernels::add_bias(const Array& x, const Array& b, Array& y) const {
  check_same("add_bias", x, y);
  require<ShapeError>(b.count() == x.cols(), "add_bias: x is ", x.shape(), " but b is ", b.shape());
  do_add_bias(x, b, y);
}

void ElementwiseKernels::sum_rows(const Array& x, Sink total) const {
  if (!total.wanted()) return;
  require<ShapeError>(total.array.count() == x.cols(), "sum_rows: x is ", x.shape(), " but its sum is ",
                      total.array.shape());
  do_sum_rows(x, total);
}

void ElementwiseKernels::relu(const Array& x, Array& y) const {
  check_same("relu", x, y);
  do_relu(x, y);
}

void ElementwiseKernels::relu_backward(const Array& dy, const Array& y, Sink dx) const {
  if (!dx.wanted()) return;
  check_backward("relu_backward", dy, y, dx.array);
  do_relu_backward(dy, y, dx);
}

void ElementwiseKernels::multiply(const Array& a, const Array& b, Sink y) const {
  if (!y.wanted()) return;
  require<ShapeError>(same_extents(a, b) && same_extents(a, y.array), "multiply: a is ", a.shape(), ", b ", b.shape(),
                      ", y ", y.array.shape());
  do_multiply(a, b, y);
}

void ElementwiseKernels::tanh(const Array& x, Array& y) const {
  check_same("tanh", x, y);
  do_tanh(x, y);
}

void ElementwiseKernels::tanh_backward(const Array& dy, const Array& y, Sink dx) const {
  if (!dx.wanted()) return;
  check_backward("tanh_backward", dy, y, dx.array);
  do_tanh_backward(dy, y, dx);
}

void ElementwiseKernels::sigmoid(const Array& x, Array& y) const {
  check_same("sigmoid", x, y);
  do_sigmoid(x, y);
}

void ElementwiseKernels::sigmoid_backward(const Array& dy, const Array& y, Sink dx) const {
  if (!dx.wanted()) return;
  check_backward("sigmoid_backward", dy, y, dx.array);
  do_sigmoid_backward(dy, y, dx);
}

void ElementwiseKernels::gated(const Array& x, SelfGate gate, Array& y) const {
  check_same("gated", x, y);
  do_gated(x, gate, y);
}

void ElementwiseKernels::gated_backward(const Array& dy, const Array& x, SelfGate gate, Sink dx) const {
  if (!dx.wanted()) return;
  require<ShapeError>(same_extents(dy, x) && same_extents(dy, dx.array), "gated_backward: dy is ", dy.shape(), ", x ",
                      x.shape(), ", dx ", dx.array.shape());
  do_gated_backward(dy, x, gate, dx);
}

void ElementwiseKernels::dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const {
  if (!dropout.on()) return scaled(x, 1, y);
  if (!y.wanted()) return;
  check_same("dropout", x, y.array);
  check_segments("dropout", x, segments);
  do_dropout(x, segments, dropout, y);
}

void ElementwiseKernels::transpose(const Array& x, Sink y) const {
  if (!y.wanted()) return;
  require<ShapeError>(x.rows() == y.array.cols() && x.cols() == y.array.rows(), "transpose: x is ", x.shape(),
                      " but y is ", y.array.shape());
  do_transpose(x, y);
}

void ElementwiseKernels::take_rows(const Array& x, const RowIndex& index, Sink y) const {
  if (!y.wanted()) return;
  require<ShapeError>(x.rows() == index.rows && y.array.rows() == index.taken.count() && x.cols() == y.array.cols(),
                      "take_rows: x is ", x.shape(), ", y ", y.array.shape(), ", the index takes ", index.taken.count(),
                      " rows of ", index.rows);
  do_take_rows(x, index, y);
}

void ElementwiseKernels::take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const {
  if (!dx.wanted()) return;
  require<ShapeError>(dx.array.rows() == index.rows && dy.rows() == index.takers.count() &&
                          index.starts.count() == index.rows + 1 && dy.cols() == dx.array.cols(),
                      "take_rows_backward: dy is ", dy.shape(), ", dx ", dx.array.shape(), ", the index takes ",
                      index.takers.count(), " rows of ", index.rows);
  do_take_rows_backward(dy, index, dx);
}

void ElementwiseKernels::place_rows(const Array& x, const Array& rows, const Array& y) const {
  require<ShapeError>(x.cols() == y.cols() && x.rows() == rows.count() && x.dtype() == y.dtype(), "place_rows: x is ",
                      x.shape(), " of ", x.dtype(), ", rows ", rows.shape(), ", y ", y.shape(), " of ", y.dtype());
  do_place_rows(x, rows, y);
}

void ElementwiseKernels::sum(const Array& x, double alpha, Sink total) const {
  if (!total.wanted()) return;
  require<ShapeError>(total.array.count() == 1, "sum: the sum of an array of shape ", x.shape(),
                      " must be one number, not ", total.array.shape());
  do_sum(x, alpha, total);
}

void ElementwiseKernels::sum_of_squares(const Array& x, Array& total) const {
  require<ShapeError>(total.count() == 1, "sum_of_squares: the sum over an array of shape ", x.shape(),
                      " must be one number, not ", total.shape());
  do_sum_of_squares(x, total);
}

}  // namespace dragoman
