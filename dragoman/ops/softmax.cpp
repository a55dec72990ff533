#include "dragoman/ops/softmax.h"

namespace dragoman::ops {

Tensor masked(const Tensor& x, const Mask& mask) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.masked(x.array(), mask, y);
  return record(y, {x}, [&on, mask](const Array& dy, Sinks& d) { on.masked_backward(dy, mask, d.into(0)); });
}

Tensor softmax(const Tensor& x) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.softmax(x.array(), y);
  return record(y, {x}, [&on, y](const Array& dy, Sinks& d) { on.softmax_backward(dy, y, d.into(0)); });
}

Tensor log_softmax(const Tensor& x) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.log_softmax(x.array(), y);
  return record(y, {x}, [&on, y](const Array& dy, Sinks& d) { on.log_softmax_backward(dy, y, d.into(0)); });
}

}  // namespace dragoman::ops
