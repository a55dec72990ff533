// The residual connection around every sub-layer (Section 3.1 of the paper), "Add & Norm" in Figure 1, with the
// normalisation after the addition (post-norm, as in the paper) or before the sub-layer (pre-norm).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "dragoman/array/segments.h"
#include "dragoman/model/transformer/config.h"
#include "dragoman/model/transformer/stack_norm.h"
#include "dragoman/nn/pass.h"

namespace dragoman::model::transformer {

// The residual connections of a stack: where the normalisation is, the dropout of every sub-layer's output, and the
// normalisations in the order of their use: one for each sub-layer and, with pre-norm, one more at the end of the
// stack.
struct AddNorm {
  Norm norm = Norm::kPost;
  double P_drop = 0;
  std::vector<const StackNorm*> norms;
};

// The state between two sub-layers of a stack. A sub-layer reads its input with y(); its output is added with add().
class Residual {
 public:
  // With pre-norm the first normalisation is applied here, before the first sub-layer.
  Residual(const Tensor& x, const AddNorm& rule, const Segments& segments, nn::Pass& pass)
      : rule_(rule), segments_(segments), pass_(pass), x_(x), y_(x) {
    if (rule.norm == Norm::kPre) y_ = next_norm()(x, segments, pass);
  }

  // The residual, to which the output of the next sub-layer is added.
  const Tensor& x() const { return x_; }
  // The input of the next sub-layer; after the last sub-layer, the output of the stack.
  const Tensor& y() const { return y_; }

  // After a sub-layer S with output a:  s = x + Dropout(a),  y = LayerNorm(s).
  // Post-norm, as in the paper: the next residual x is y, so that a sub-layer is LN(x + Dropout(S(x))).
  // Pre-norm, which we offer too: the next residual x is s, so that a sub-layer is x + Dropout(S(LN(x))). The LayerNorm
  // in add() is then the one before the next sub-layer, or the last one of the stack.
  // `where` names S to an observer.
  void add(const Tensor& a, const nn::SubLayer& where) {
    const bool keeps_sum = rule_.norm == Norm::kPre;
    const auto [s, y] = next_norm().add(x_, a, segments_, pass_.dropout(rule_.P_drop), where, keeps_sum, pass_);
    x_ = keeps_sum ? s : y;
    y_ = y;
  }

  // Runs a layer. If no backward pass is recorded, frees all memory that the layer took from the arena, except that of
  // its result.
  template <class Layer>
  void run_and_free(const Layer& layer) {
    if (Recording::current() != nullptr) return layer();
    Backend& on = pass_.on;
    const bool x_is_y = x_.array().raw() == y_.array().raw();
    Array y = on.empty_like(y_.array()), x = x_is_y ? y : on.empty_like(x_.array());
    const ArenaScope scratch(on.arena());
    layer();
    on.scaled(y_.array(), 1.0, Sink::overwrite(y));
    if (!x_is_y) on.scaled(x_.array(), 1.0, Sink::overwrite(x));
    x_ = Tensor(on, x);
    y_ = Tensor(on, y);
  }

 private:
  const StackNorm& next_norm() { return *rule_.norms[next_++]; }

  const AddNorm& rule_;
  const Segments& segments_;
  nn::Pass& pass_;
  Tensor x_, y_;
  std::size_t next_ = 0;  // index of the next normalisation
};

}  // namespace dragoman::model::transformer
