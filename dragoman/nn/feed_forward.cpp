#include "dragoman/nn/feed_forward.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/params/glorot.h"

namespace dragoman::nn {

using params::glorot_limit;
using params::Initial;

namespace {

SelfGate gate_of(HiddenActivation activation) {
  switch (activation) {
    case HiddenActivation::kGelu: return SelfGate::kGelu;
    case HiddenActivation::kGeluTanh: return SelfGate::kGeluTanh;
    case HiddenActivation::kGeluSigmoid: return SelfGate::kGeluSigmoid;
    default: return SelfGate::kSilu;
  }
}

}  // namespace

FeedForward::FeedForward(std::int64_t d_model, std::int64_t d_ff, double P_drop_, const SubLayer& where_,
                         HiddenActivation activation_)
    : activation(activation_), P_drop(P_drop_), where(where_) {
  const Initial glorot = Initial::uniform(glorot_limit(d_model, d_ff)), zero = Initial::constant(0);
  inner = {Parameter({d_model, d_ff}, glorot), Parameter({d_ff}, zero)};
  outer = {Parameter({d_ff, d_model}, glorot), Parameter({d_model}, zero)};
}

// ReLU and dropout are part of the product's kernel; the other activations are an op of their own.
Tensor FeedForward::hidden(const Tensor& x, const Segments& segments, Pass& pass) const {
  const Dropout dropout = pass.dropout(P_drop);
  if (activation == HiddenActivation::kRelu) return inner(x, {.relu = true, .dropout = dropout, .segments = segments});
  return ops::dropout(ops::gated(inner(x), gate_of(activation)), segments, dropout);
}

Tensor FeedForward::operator()(const Tensor& x, const Segments& segments, Pass& pass) const {
  const Tensor f = hidden(x, segments, pass);
  Tensor output = outer(f);
  if (pass.observer != nullptr) {
    pass.observer->see_steps(FeedForwardSteps{.where = where.at_depth(pass.depth),
                                              .x = x.array(),
                                              .inner = f.array(),
                                              .output = output.array(),
                                              .W_1 = inner,
                                              .W_2 = outer});
  }
  return output;
}

void FeedForward::parameters(ParameterVisitor& visit) {
  visit("W_1", inner.W);
  visit("b_1", inner.b);
  visit("W_2", outer.W);
  visit("b_2", outer.b);
}

}  // namespace dragoman::nn
