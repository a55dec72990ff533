// The optimiser's pass over the flat parameter blocks: the contract.
#pragma once

#include "dragoman/array/array.h"

namespace dragoman {

struct AdamStep {
  double rate = 0;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double weight_decay = 0;  // decoupled: theta -= rate * weight_decay * theta before the step
  std::int64_t t = 1;       // counted from 1
};

class OptimiserKernels {
 public:
  virtual ~OptimiserKernels() = default;

  // What the gradients of an update are to be multiplied by, so that their norm is at most `clip` (0: any): scale,
  // float64 [1]. It is NaN if one of `losses`, float64, or the norm is not finite: such an update is not made.
  // `squares`, float64 [1], is the sum of the gradients' squares; optional.
  void update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const;

  // g stands for scale g. m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
  // theta -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon), for all of a block in one pass.
  // `copy`, if not absent, receives theta in its own element type. A scale that is absent is 1; if it is NaN, nothing
  // changes.
  void adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
            Array& copy) const;

  // mean = decay mean + (1 - decay) x, for all of a block in one pass. If `scale`, that of the update that made x, is
  // NaN, nothing changes: there was no update. It may be absent.
  void moving_average(const Array& x, const Array& scale, double decay, Array& mean) const;

 private:
  virtual void do_update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const = 0;
  virtual void do_adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
                       Array& copy) const = 0;
  virtual void do_moving_average(const Array& x, const Array& scale, double decay, Array& mean) const = 0;
};

}  // namespace dragoman
