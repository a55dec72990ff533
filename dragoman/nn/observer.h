// An observer looks on while a model computes. It receives numbers that the kernels computed, and never changes them.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/nn/sites.h"

namespace dragoman::nn {

struct Linear;

// A sub-layer of a stack of layers: attention or feed-forward. Layers and sites are counted from 0.
struct SubLayer {
  static constexpr int kFeedForward = -1;

  Side side = Side::kSource;  // the tokens that the stack reads
  int layer = 0;
  int site = kFeedForward;  // index into the model's list of attention sites

  bool operator==(const SubLayer&) const = default;
  // The same sub-layer after `depth` more layers.
  SubLayer at_depth(int depth) const { return {side, layer + depth, site}; }
};

// What follows the softmax in attention:  Concat(head_1, ..., head_h) W^O  with  head_i = weights_i V_i. Attention of
// one head may have no W^O; then its result is O.
struct AttentionSteps {
  int site, layer;
  const Array& V;       // [keys, h d_v], the heads side by side
  const Array& O;       // [queries, h d_v]: Concat(head_1, ..., head_h), with zeros for heads that are switched off
  const Array& output;  // [queries, d_model]: O W^O, and the bias if there is one; absent without W^O
  const Linear* W_O;    // optional
};

// Equation (2):  inner = max(0, x W_1 + b_1),  output = inner W_2 + b_2, with one row for each token.
struct FeedForwardSteps {
  SubLayer where;
  const Array &x, &inner, &output;
  const Linear &W_1, &W_2;
};

// The residual connection around a sub-layer with output a:  s = x + a,  y = gamma (s - mean) rstd + beta.
// With BatchNorm there is one mean and variance for each feature, the same for all rows.
struct AddNormSteps {
  SubLayer where;
  Array x = {}, s = {}, y = {};                    // [rows, d_model]
  Array mean = {}, rstd = {};                      // [rows]; rstd = 1 / sqrt(variance + eps)
  Array feature_mean = {}, feature_variance = {};  // [d_model], of BatchNorm; mean and rstd are then absent
  Array gamma = {}, beta = {};                     // [d_model]
  double eps = 0;
  bool keeps_sum =
      false;  // whether the next residual is s (pre-norm: y is only what the next sub-layer reads), and not y
};

// Sites and layers are counted from 0. The memory of arrays is reused after the call that shows them.
class Observer {
 public:
  virtual ~Observer() = default;
  // Weights of whole sentences: [h, n_q, n_k] for each sentence of `reach`, one after the other.
  virtual void see(int site, int layer, const Array& weights, const Reach& reach) = 0;
  // The queries and keys that the weights were computed from, [rows, h d_k] each, with the heads side by side. v [h
  // d_k] is the vector of additive scores, otherwise absent. Called after see().
  virtual void see_projections(int /*site*/, int /*layer*/, const Array& /*Q*/, const Array& /*K*/,
                               const Array& /*v*/) {}
  // Weights of a decoding step: [rows, h, keys]; a row with fewer keys has zeros after its last.
  virtual void see_step(int /*site*/, int /*layer*/, const Array& /*weights*/) {}

  // Whether see_state() is to be called; a model may have to compute the states for it.
  virtual bool wants_states() const { return false; }
  // The output of a stack of layers as it would be if this layer were the last: [rows, width]. `side` says whether the
  // stack reads the source or the target.
  virtual void see_state(Side /*side*/, int /*layer*/, const Array& /*state*/) {}

  // How many steps each token of a model with adaptive computation time took, and what was left of its weight 1 in the
  // last of them: [rows, 1] each. `side` is that of the tokens; whole sentences or a decoding step.
  virtual void see_halting(Side /*side*/, const Array& /*steps*/, const Array& /*rest*/) {}

  // What the sub-layers compute, each followed by its residual connection. Attention is shown after see_projections(),
  // only for whole sentences.
  virtual void see_steps(const AttentionSteps& /*steps*/) {}
  virtual void see_steps(const FeedForwardSteps& /*steps*/) {}
  virtual void see_steps(const AddNormSteps& /*steps*/) {}
};

}  // namespace dragoman::nn
