#include "dragoman/backend/elementwise.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

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

}  // namespace dragoman
