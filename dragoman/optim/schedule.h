// Learning rates (Section 5.3 of the paper).
#pragma once

#include <cstdint>

namespace dragoman::optim {

// Equation (3), with a constant that the paper sets to one:
//   rate = constant * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5),  step counted from 1.
// The paper trains with that rate to the end. A cool-down, if asked for, takes it to zero in a straight line over the
// last `cooldown_steps` of `steps`.
struct Schedule {
  double constant = 1.0;
  std::int64_t d_model = 512;
  std::int64_t warmup_steps = 4000;
  std::int64_t steps = 0, cooldown_steps = 0;

  double rate(std::int64_t step) const;
};

// Linear from `initial` to `peak` over the warm-up, then peak * sqrt(warmup_steps / step).
struct InverseSquareRoot {
  double peak = 5e-4, initial = 0;
  std::int64_t warmup_steps = 4000;

  double rate(std::int64_t step) const;
};

}  // namespace dragoman::optim
