// The output projection and the label-smoothed cross-entropy (Section 5.4) in one op, which never holds all logits at
// once.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

struct LossTerms {
  Tensor loss;   // `weight` times the sum over rows of the smoothed cross-entropy: one number, in double
  Array losses;  // [R], the smoothed cross-entropy of each row; 0 where targets[r] < 0
  Array nll;     // [R], the cross-entropy of each row without smoothing, for the perplexity
};

struct LossOptions {
  LabelSmoothing smoothing;
  double weight = 1.0;  // 1 / (target tokens of the whole update)
  // The number of rows whose logits exist at once. By default (0), 6272 on a GPU; on the CPU, as many as have about 128
  // MiB of logits.
  std::int64_t chunk = 0;
};

// The logits are Y E^T + b for Y [R, d], E [V, d] and an optional b [V]. If gradients are recorded, the forward pass
// also computes the gradients of Y, E and b, so the loss must be the root of the backward pass that follows.
LossTerms smoothed_cross_entropy(const Tensor& Y, const Tensor& E, const Tensor& b, const Array& targets,
                                 const LossOptions& options);

// The same, composed of simple ops; tests compare with it.
namespace plain {
LossTerms smoothed_cross_entropy(const Tensor& Y, const Tensor& E, const Tensor& b, const Array& targets,
                                 const LossOptions& options);
}

}  // namespace dragoman::ops
