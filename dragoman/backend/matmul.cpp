#include "dragoman/backend/matmul.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

void MatmulKernels::matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B, Sink C) const {
  if (!C.wanted()) return;
  const bool transposed_A = transpose_A == Transpose::kYes, transposed_B = transpose_B == Transpose::kYes;
  require<ShapeError>((transposed_A ? A.rows() : A.cols()) == (transposed_B ? B.cols() : B.rows()) &&
                          C.array.rows() == (transposed_A ? A.cols() : A.rows()) &&
                          C.array.cols() == (transposed_B ? B.rows() : B.cols()),
                      "matmul: A is ", A.shape(), transposed_A ? ", transposed" : "", " but B is ", B.shape(),
                      transposed_B ? ", transposed" : "", ", and C ", C.array.shape());
  if (OperationCounter* counter = operations()) {
    counter->add(C.array.rows() * C.array.cols() * (transposed_A ? A.rows() : A.cols()));
  }
  do_matmul(A, transpose_A, B, transpose_B, C);
}

void MatmulKernels::linear(const Array& x, const Array& W, const Array& b, const Activation& activation,
                           Array& y) const {
  require<ShapeError>(x.cols() == W.rows() && y.rows() == x.rows() && y.cols() == W.cols(), "linear: x is ", x.shape(),
                      " but W is ", W.shape(), ", and y ", y.shape());
  require<ShapeError>(!b || b.count() == W.cols(), "linear: W is ", W.shape(), " but b is ", b.shape());
  require<ShapeError>(activation.relu || !activation.dropout.on(), "linear: dropout is possible only after a ReLU");
  if (activation.dropout.on()) check_segments("linear", x, activation.segments);
  if (OperationCounter* counter = operations()) counter->add(x.rows() * W.rows() * W.cols());
  do_linear(x, W, b, activation, y);
}

void MatmulKernels::linear_backward(Array& dy, const Array& x, const Array& W, const Array& y,
                                    const Activation& activation, Sink dx, Sink dW, Sink db) const {
  require<ShapeError>(dy.rows() == x.rows() && dy.cols() == W.cols() && x.cols() == W.rows() &&
                          (!activation.relu || same_extents(dy, y)),
                      "linear_backward: dy is ", dy.shape(), ", x ", x.shape(), ", W ", W.shape(), ", y ", y.shape());
  require<ShapeError>(fits(dx, x) && fits(dW, W) && (!db.wanted() || db.array.count() == W.cols()),
                      "linear_backward: x is ", x.shape(), ", W ", W.shape(), ", dx ", dx.array.shape(), ", dW ",
                      dW.array.shape(), ", db ", db.array.shape());
  do_linear_backward(dy, x, W, y, activation, dx, dW, db);
}

}  // namespace dragoman
