// The residual connection around every sub-layer (Section 3.1 of the paper), "Add & Norm" in Figure 1, in both
// arrangements.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "dragoman/array/segments.h"
#include "dragoman/model/transformer/config.h"
#include "dragoman/nn/layer_norm.h"
#include "dragoman/nn/pass.h"
#include "dragoman/ops/add_norm.h"

namespace dragoman::model {

// What a stack's residual connections are: the order of addition and LayerNorm, the dropout of every sub-layer's
// output, and the LayerNorms in their order, one for each sub-layer. In the pre-norm arrangement one more ends the
// stack.
struct AddNorm {
  Norm norm = Norm::kPost;
  double P_drop = 0;
  std::vector<const nn::LayerNorm*> norms;
};

// What flows through a stack. A layer reads it with y() and adds each sub-layer's output with add(), in order.
class Residual {
 public:
  // In the pre-norm arrangement the first LayerNorm comes before anything else.
  Residual(const Tensor& x, const AddNorm& rule, const Segments& segments, nn::Pass& pass)
      : rule_(rule), segments_(segments), pass_(pass), x_(x), y_(x) {
    if (rule.norm == Norm::kPre) y_ = next_norm()(x);
  }

  // What the next sub-layer reads.
  const Tensor& y() const { return y_; }

  // After a sub-layer with output a:  s = x + Dropout(a),  y = LayerNorm(s).
  // The paper normalises after the addition, and what it normalised is the next residual: LN(x + Dropout(S(x))).
  // We offer pre-norm too: the residual stays as it is, x + Dropout(S(LN(x))), so that the LayerNorm is the one before
  // the next sub-layer, or the one that ends the stack.
  void add(const Tensor& a) {
    const nn::LayerNorm& ln = next_norm();
    const auto [s, y] =
        ops::add_norm(x_, a, segments_, pass_.dropout(rule_.P_drop), ln.gamma.tensor(), ln.beta.tensor(), ln.eps);
    x_ = rule_.norm == Norm::kPost ? y : s;
    y_ = y;
  }

  // Runs a layer. Unless it is recorded for a backward pass, the memory of everything but its result is given back.
  template <class Layer>
  void through(const Layer& layer) {
    if (Recording::current() != nullptr) return layer();
    Backend& on = pass_.on;
    const bool one = x_.array().raw() == y_.array().raw();
    Array y = on.empty_like(y_.array()), x = one ? y : on.empty_like(x_.array());
    const ArenaScope scratch(on.arena());
    layer();
    on.scaled(y_.array(), 1.0, Sink::overwrite(y));
    if (!one) on.scaled(x_.array(), 1.0, Sink::overwrite(x));
    x_ = Tensor(on, x);
    y_ = Tensor(on, y);
  }

 private:
  const nn::LayerNorm& next_norm() { return *rule_.norms[next_++]; }

  const AddNorm& rule_;
  const Segments& segments_;
  nn::Pass& pass_;
  Tensor x_;  // the residual: what the next sub-layer's output is added to
  Tensor y_;
  std::size_t next_ = 0;  // of the LayerNorms
};

}  // namespace dragoman::model
