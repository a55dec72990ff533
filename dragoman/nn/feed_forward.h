// Position-wise feed-forward network (Section 3.3 of the paper).
#pragma once

#include "dragoman/array/segments.h"
#include "dragoman/nn/linear.h"
#include "dragoman/nn/pass.h"

namespace dragoman::nn {

struct FeedForward {
  Linear inner, outer;  // W_1 [d_model, d_ff], W_2 [d_ff, d_model]
  double P_drop = 0;    // dropout after the ReLU; the paper has none
  SubLayer where;       // in the model, for observers

  FeedForward() = default;
  FeedForward(std::int64_t d_model, std::int64_t d_ff, double P_drop_, const SubLayer& where_ = {});

  // Equation (2):  FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, for each position separately.
  Tensor operator()(const Tensor& x, const Segments& segments, Pass& pass) const;

  void parameters(ParameterVisitor& visit);
};

}  // namespace dragoman::nn
