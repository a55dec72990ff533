#include "dragoman/ops/linear.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/matmul.h"

namespace dragoman::ops {

Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b, const Activation& activation) {
  Backend& on = x.backend();
  Array y = on.empty({x.rows(), W.dim(-1)}, x.array().dtype());
  on.linear(x.array(), W.array(), array_or_absent(b), activation, y);

  return record(y, {x, W, b}, [&on, x = x.array(), W = W.array(), y, activation](Array& dy, Sinks& d) {
    const auto [dx, dW, db] = d.first<3>();
    on.linear_backward(dy, x, W, y, activation, dx, dW, db);
  });
}

Tensor linear(const Tensor& x, const PackedMatrix& W, const Tensor& b, const Activation& activation) {
  require<ShapeError>(!will_be_recorded({x, b}), "linear: packed weights cannot be used while gradients are recorded");
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
