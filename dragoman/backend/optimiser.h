// The contract of the optimiser's kernels, which update a whole flat block of parameters in one pass.
#pragma once

#include "dragoman/array/array.h"

namespace dragoman {

struct AdamStep {
  double rate = 0;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double weight_decay = 0;  // decoupled: theta -= rate * weight_decay * theta before the step
  std::int64_t t = 1;       // number of this update, counted from 1
};

struct NesterovStep {
  double rate = 0;
  double momentum = 0.99;
  double rate_ratio = 1;    // the rate divided by that of the update before; 1 for the first update
  double weight_decay = 0;  // as in AdamStep
};

class OptimiserKernels {
 public:
  virtual ~OptimiserKernels() = default;

  // Computes `scale`, float64 [1]: the factor by which an update multiplies its gradients, so that their norm is at
  // most `clip` (0: no limit). It is NaN if one of `losses`, float64, or the norm is not finite; such an update is
  // skipped. `squares`, float64 [1], is the sum of the squares of the gradients; without it, the norm is neither
  // limited nor checked.
  void update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const;

  // With g multiplied by `scale`: m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
  // theta -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).
  // `copy` is optional and receives theta, converted to the element type of `copy`. `scale` is optional and defaults
  // to 1; if it is NaN, nothing changes.
  void adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
            Array& copy) const;

  // Nesterov's momentum in the form that is applied to the parameters themselves. With g multiplied by `scale` and
  // w = rate_ratio v:  theta += momentum^2 w - (1 + momentum) rate g;  v = momentum w - rate g.
  // `copy` and `scale` are as in adam().
  void nesterov(const Array& g, const Array& scale, const NesterovStep& step, Array& theta, Array& v,
                Array& copy) const;

  // mean = decay mean + (1 - decay) x. `scale` is optional: it is that of the update that produced x. If it is NaN,
  // that update was skipped, and nothing changes here either.
  void moving_average(const Array& x, const Array& scale, double decay, Array& mean) const;

 private:
  virtual void do_update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const = 0;
  virtual void do_adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
                       Array& copy) const = 0;
  virtual void do_nesterov(const Array& g, const Array& scale, const NesterovStep& step, Array& theta, Array& v,
                           Array& copy) const = 0;
  virtual void do_moving_average(const Array& x, const Array& scale, double decay, Array& mean) const = 0;
};

}  // namespace dragoman
