// The optimiser's pass over the flat parameter blocks: the contract.
#pragma once

#include "dragoman/array/array.h"

namespace dragoman {

struct AdamStep {
  double rate = 0;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double gradient_scale = 1;  // g stands for gradient_scale g: a clipped gradient is made shorter on the way
  double weight_decay = 0;    // decoupled: theta -= rate * weight_decay * theta before the step
  std::int64_t t = 1;         // counted from 1
};

struct OptimiserKernels {
  virtual ~OptimiserKernels() = default;

  // m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
  // theta -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon), for all of a block in one pass.
  virtual void adam(const Array& g, const AdamStep& step, Array& theta, Array& m, Array& v) const = 0;

  // mean = decay mean + (1 - decay) x, for all of a block in one pass.
  virtual void moving_average(const Array& x, double decay, Array& mean) const = 0;
};

}  // namespace dragoman
