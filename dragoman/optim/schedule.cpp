#include "dragoman/optim/schedule.h"

#include <algorithm>
#include <cmath>

namespace dragoman::optim {

double Schedule::rate(std::int64_t step) const {
  const auto t = static_cast<double>(step), w = static_cast<double>(warmup_steps);
  const double rate =
      constant * std::pow(static_cast<double>(d_model), -0.5) * std::min(std::pow(t, -0.5), t * std::pow(w, -1.5));
  if (cooldown_steps == 0) return rate;
  const double left = static_cast<double>(steps + 1 - step) / static_cast<double>(cooldown_steps);
  return rate * std::clamp(left, 0.0, 1.0);
}

double InverseSquareRoot::rate(std::int64_t step) const {
  const auto t = static_cast<double>(step), w = static_cast<double>(warmup_steps);
  if (step <= warmup_steps) return initial + (peak - initial) * t / w;
  return peak * std::sqrt(w / t);
}

}  // namespace dragoman::optim
