#include "dragoman/ops/linear.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/matmul.h"

namespace dragoman::ops {

Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b, const Activation& activation) {
  const auto [R, in] = x.dims<2>();
  const auto [rows_W, out] = W.dims<2>();
  require<ShapeError>(in == rows_W, "linear: x is ", x.shape(), " but W is ", W.shape());
  require<ShapeError>(!b || b.shape() == Shape{out}, "linear: W is ", W.shape(), " but b is ", b.shape());
  require<ShapeError>(activation.relu || !activation.dropout.on(), "linear: dropout comes only after a ReLU");
  Backend& on = x.backend();
  Array y = on.empty({R, out}, x.array().dtype());
  on.linear(x.array(), W.array(), array_or_absent(b), activation, y);

  return record(y, {x, W, b}, [&on, x = x.array(), W = W.array(), y, activation](Array& dy, Sinks& d) {
    const auto [dx, dW, db] = d.first<3>();
    on.linear_backward(dy, x, W, y, activation, dx, dW, db);
  });
}

Tensor linear(const Tensor& x, const PackedMatrix& W, const Tensor& b, const Activation& activation) {
  require<ShapeError>(!recorded({x, b}), "linear: no gradient flows through packed weights");
  Backend& on = x.backend();
  Array y = on.empty({x.rows(), W.out}, x.array().dtype());
  on.linear(x.array(), W, array_or_absent(b), activation, y);
  return Tensor(on, y);
}

namespace plain {

Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b, const Activation& activation) {
  Tensor y = matmul(x, W);
  if (b) y = add_bias(y, b);
  if (!activation.relu) return y;
  y = relu(y);
  return activation.dropout.on() ? dropout(y, activation.segments, activation.dropout) : y;
}

}  // namespace plain

}  // namespace dragoman::ops
