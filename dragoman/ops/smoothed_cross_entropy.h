// The output projection and the label-smoothed cross-entropy (Section 5.4) in one, without ever holding all logits.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

struct LossTerms {
  Tensor loss;   // `weight` times the sum over rows of the smoothed cross-entropy: one number, in double
  Array losses;  // [R], the smoothed cross-entropy of each row; 0 where targets[r] < 0
  Array nll;     // [R], the plain one, from which perplexity is computed
};

struct LossOptions {
  Smoothing smoothing;
  double weight = 1.0;     // 1 / (target tokens of the whole update)
  std::int64_t chunk = 0;  // rows whose logits exist at once; 0: as many as fit about 128 MiB
};

// Logits are Y E^T (+ b) for Y [R, d], E [V, d], b [V] or missing. When gradients are recorded the forward pass also
// makes them (of Y, E and b), so the loss must be the root of the backward pass that follows.
LossTerms smoothed_cross_entropy(const Tensor& Y, const Tensor& E, const Tensor& b, const Array& targets,
                                 const LossOptions& options);

namespace plain {
LossTerms smoothed_cross_entropy(const Tensor& Y, const Tensor& E, const Tensor& b, const Array& targets,
                                 const LossOptions& options);
}

}  // namespace dragoman::ops
