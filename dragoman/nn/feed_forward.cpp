#include "dragoman/nn/feed_forward.h"

#include "dragoman/params/glorot.h"

namespace dragoman::nn {

using params::glorot_limit;
using params::Initial;

FeedForward::FeedForward(std::int64_t d_model, std::int64_t d_ff, double P_drop_, const SubLayer& where_)
    : P_drop(P_drop_), where(where_) {
  const Initial glorot = Initial::uniform(glorot_limit(d_model, d_ff)), zero = Initial::constant(0);
  inner = {Parameter({d_model, d_ff}, glorot), Parameter({d_ff}, zero)};
  outer = {Parameter({d_ff, d_model}, glorot), Parameter({d_model}, zero)};
}

Tensor FeedForward::operator()(const Tensor& x, const Segments& segments, Pass& pass) const {
  const Tensor hidden = inner(x, {.relu = true, .dropout = pass.dropout(P_drop), .segments = segments});
  Tensor output = outer(hidden);
  if (pass.observer != nullptr) {
    pass.observer->see_steps(FeedForwardSteps{.where = where.at_depth(pass.depth),
                                              .x = x.array(),
                                              .inner = hidden.array(),
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
