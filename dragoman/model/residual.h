// The residual connection around every sub-layer (Section 3.1 of the paper), in both arrangements.
#pragma once

#include <cstddef>
#include <vector>

#include "dragoman/array/segments.h"
#include "dragoman/model/config.h"
#include "dragoman/nn/layer_norm.h"
#include "dragoman/ops/add_norm.h"

namespace dragoman::model {

// What flows from sub-layer to sub-layer.
struct Stream {
  Tensor x;  // the residual: what the next sub-layer's output is added to
  Tensor y;  // what the next sub-layer reads
};

// The stream that enters a stack. In the pre-norm arrangement the first LayerNorm comes before anything else.
inline Stream enter(const Tensor& x, const nn::LayerNorm& first, Norm norm) {
  return norm == Norm::kPost ? Stream{x, x} : Stream{x, first(x)};
}

// After a sub-layer with output a:  s = x + Dropout(a),  y = LayerNorm(s).
// The paper normalises after the addition, and what it normalised is the next residual: LN(x + Dropout(S(x))).
// We offer pre-norm too: the residual stays as it is, x + Dropout(S(LN(x))), so that `ln` is the LayerNorm before the
// next sub-layer, or the one that ends the stack.
inline Stream residual(const Stream& stream, const Tensor& a, const nn::LayerNorm& ln, Norm norm,
                       const Segments& segments, const Dropout& dropout = {}) {
  const auto [s, y] = ops::add_norm(stream.x, a, segments, dropout, ln.gamma.tensor(), ln.beta.tensor(), ln.eps);
  return norm == Norm::kPost ? Stream{y, y} : Stream{s, y};
}

// What a layer makes of the stream. Unless it is recorded for a backward pass, the memory of everything but the result
// is given back.
template <class Layer>
Stream through(const Stream& stream, const Layer& layer) {
  if (Recording::current() != nullptr) return layer(stream);
  Backend& on = stream.x.backend();
  const bool one = stream.x.array().raw() == stream.y.array().raw();
  Array y = on.empty_like(stream.y.array()), x = one ? y : on.empty_like(stream.x.array());
  const ArenaScope scratch(on.arena());
  const Stream next = layer(stream);
  on.scaled(next.y.array(), 1.0, Sink::overwrite(y));
  if (!one) on.scaled(next.x.array(), 1.0, Sink::overwrite(x));
  return {Tensor(on, x), Tensor(on, y)};
}

// The LayerNorm of the sum after a sub-layer: its own, or in the pre-norm arrangement that of the next sub-layer, whose
// place after the last layer `last` takes.
template <class Layer>
const nn::LayerNorm& norm_after(const std::vector<Layer>& layers, std::size_t layer, std::size_t sub_layer, Norm norm,
                                const nn::LayerNorm& last) {
  const auto own = layers[layer].norms();
  if (norm == Norm::kPost) return *own[sub_layer];
  if (sub_layer + 1 < own.size()) return *own[sub_layer + 1];
  return layer + 1 < layers.size() ? *layers[layer + 1].norms()[0] : last;
}

}  // namespace dragoman::model
