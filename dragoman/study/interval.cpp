#include "dragoman/study/interval.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace dragoman::study {
namespace {

// The probability of a value within -t to t. For whole degrees of freedom it is a finite sum (Abramowitz and Stegun,
// 26.7.3 and 26.7.4), with theta = atan(t / sqrt(n)):
//   n odd:   2/pi (theta + sin theta (cos theta + 2/3 cos^3 theta + 2 4/(3 5) cos^5 theta + ... cos^(n-2) theta))
//   n even:  sin theta (1 + 1/2 cos^2 theta + 1 3/(2 4) cos^4 theta + ... cos^(n-2) theta)
double probability_within(double t, int n) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(n)));
  const double sine = std::sin(theta), cosine = std::cos(theta);
  const bool is_odd = n % 2 == 1;
  double sum = 0, term = is_odd ? cosine : 1;
  for (int power = is_odd ? 1 : 0; power <= n - 2; power += 2) {
    sum += term;
    term *= cosine * cosine * (power + 1) / (power + 2);
  }
  return is_odd ? 2 / std::numbers::pi * (theta + sine * sum) : sine * sum;
}

}  // namespace

double t_quantile(int degrees_of_freedom) {
  assert(degrees_of_freedom >= 1);
  constexpr double kProbability = 0.95;
  double low = 0, high = 20;  // with one degree of freedom it is 12.7
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (low + high) / 2;
    (probability_within(middle, degrees_of_freedom) < kProbability ? low : high) = middle;
  }
  return (low + high) / 2;
}

Mean mean_of(std::span<const double> values) {
  assert(!values.empty());
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  if (values.size() == 1) return {.mean = mean};
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  return {.mean = mean, .half_width = t_quantile(static_cast<int>(values.size()) - 1) * deviation / std::sqrt(count)};
}

}  // namespace dragoman::study
