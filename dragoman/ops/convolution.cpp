#include "dragoman/ops/convolution.h"

#include "dragoman/ops/arithmetic.h"

namespace dragoman::ops {

Tensor unfold_rows(const Tensor& x, const Segments& segments, const Taps& taps) {
  if (taps.k == 1 && taps.left == 0) return x;
  Backend& on = x.backend();
  Array y = on.empty({x.rows(), taps.k * x.dim(-1)}, x.array().dtype());
  on.unfold_rows(x.array(), segments, taps, y);
  return record(y, {x}, [&on, segments, taps](const Array& dy, Sinks& d) {
    on.unfold_rows_backward(dy, segments, taps, d.into(0));
  });
}

Tensor depthwise(const Tensor& x, const Segments& segments, const Taps& taps, const Tensor& w) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.depthwise(x.array(), segments, taps, w.array(), y);
  return record(y, {x, w}, [&on, x = x.array(), w = w.array(), segments, taps](const Array& dy, Sinks& d) {
    const auto [dx, dw] = d.first<2>();
    on.depthwise_backward(dy, x, segments, taps, w, dx, dw);
  });
}

Tensor glu(const Tensor& x) {
  Backend& on = x.backend();
  Array y = on.empty({x.rows(), x.dim(-1) / 2}, x.array().dtype());
  on.glu(x.array(), y);
  return record(y, {x}, [&on, x = x.array()](const Array& dy, Sinks& d) { on.glu_backward(dy, x, d.into(0)); });
}

Tensor scaled_sum(const Tensor& a, const Tensor& b, double alpha) {
  Backend& on = a.backend();
  Array y = on.empty_like(a.array());
  on.scaled_sum(a.array(), b.array(), alpha, y);
  return record(y, {a, b}, [&on, alpha](const Array& dy, Sinks& d) {
    on.scaled(dy, alpha, d.into(0));
    on.scaled(dy, alpha, d.into(1));
  });
}

Tensor scale_by_root_length(const Tensor& x, const Segments& segments, double alpha) {
  Backend& on = x.backend();
  const Array y = on.empty_like(x.array());
  on.scale_by_root_length(x.array(), segments, alpha, Sink::overwrite(y));
  return record(y, {x}, [&on, segments, alpha](const Array& dy, Sinks& d) {
    on.scale_by_root_length(dy, segments, alpha, d.into(0));
  });
}

Tensor scale_gradient(const Tensor& x, double factor) {
  Backend& on = x.backend();
  return record(x.array(), {x}, [&on, factor](const Array& dy, Sinks& d) { on.scaled(dy, factor, d.into(0)); });
}

namespace plain {

Tensor glu(const Tensor& x) {
  const std::int64_t c = x.dim(-1) / 2;
  return multiply(columns(x, 0, c), sigmoid(columns(x, c, c)));
}

Tensor scaled_sum(const Tensor& a, const Tensor& b, double alpha) { return add(a, b) * alpha; }

}  // namespace plain

}  // namespace dragoman::ops
