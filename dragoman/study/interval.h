// Means over seeds, with 95 % confidence intervals by Student's t-distribution.
#pragma once

#include <optional>
#include <span>

namespace dragoman::study {

// The number t such that a variable with Student's t-distribution is within -t to t with a probability of 95 %.
// Requires at least one degree of freedom.
double t_quantile(int degrees_of_freedom);

struct Mean {
  double mean = 0;
  std::optional<double> half_width = {};  // of the interval: t s / sqrt(n); nothing for a single value
};
// Requires at least one value.
Mean mean_of(std::span<const double> values);

}  // namespace dragoman::study
