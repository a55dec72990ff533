#include "dragoman/optim/schedule.h"

#include <algorithm>
#include <cmath>

namespace dragoman::optim {

double Schedule::rate_before_cooldown(double t) const {
  const auto w = static_cast<double>(warmup_steps);
  if (shape == RateShape::kPaper) {
    return constant * std::pow(static_cast<double>(d_model), -0.5) * std::min(std::pow(t, -0.5), t * std::pow(w, -1.5));
  }
  if (t <= w) return initial + (peak - initial) * t / w;
  return shape == RateShape::kConstant ? peak : peak * std::sqrt(w / t);
}

double Schedule::rate(std::int64_t step) const {
  const double rate = rate_before_cooldown(static_cast<double>(step));
  if (cooldown_steps == 0) return rate;
  const double left = static_cast<double>(steps + 1 - step) / static_cast<double>(cooldown_steps);
  return rate * std::clamp(left, 0.0, 1.0);
}

}  // namespace dragoman::optim
