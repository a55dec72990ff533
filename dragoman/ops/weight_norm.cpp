#include "dragoman/ops/weight_norm.h"

namespace dragoman::ops {

namespace {

// A vector as a matrix of one column; a matrix as it is.
Array as_columns(const Array& x) { return x.shape().rank() == 1 ? x.reshaped({x.count(), 1}) : x; }
Sink as_columns(const Sink& sink) { return sink.wanted() ? Sink{as_columns(sink.array), sink.write} : sink; }

}  // namespace

Tensor weight_norm(const Tensor& v, const Tensor& g) {
  Backend& on = v.backend();
  Array W = on.empty_like(v.array()), W_columns = as_columns(W);
  Array lengths = on.empty({W_columns.cols()}, accumulation_dtype(W.dtype()));
  on.weight_norm(as_columns(v.array()), g.array(), W_columns, lengths);

  return record(W, {v, g}, [&on, v = as_columns(v.array()), g = g.array(), lengths](const Array& dW, Sinks& d) {
    const auto [dv, dg] = d.first<2>();
    on.weight_norm_backward(as_columns(dW), v, g, lengths, as_columns(dv), dg);
  });
}

}  // namespace dragoman::ops
