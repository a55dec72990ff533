#include "dragoman/eval/samples.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dragoman::eval {

template <class Real>
Real numpy_sum(std::span<const Real> numbers) {
  constexpr std::size_t kLanes = 8, kBlock = 128;
  const std::size_t n = numbers.size();
  if (n > kBlock) {
    const std::size_t half = n / 2 / kLanes * kLanes;
    return numpy_sum(numbers.first(half)) + numpy_sum(numbers.subspan(half));
  }
  Real sum = 0;
  std::size_t at = 0;
  if (n >= kLanes) {
    std::array<Real, kLanes> lane{};
    for (; at + kLanes <= n; at += kLanes) {
      for (std::size_t i = 0; i < kLanes; ++i) lane[i] += numbers[at + i];
    }
    sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  for (; at < n; ++at) sum += numbers[at];
  return sum;
}

template float numpy_sum(std::span<const float> numbers);
template double numpy_sum(std::span<const double> numbers);

void Samples::add(const ResampledScore& sample) {
  scores_.push_back(sample.score);
  is_single_ = is_single_ && sample.is_single;
}

// The sum is kept in two doubles; the second holds the rounding errors of the first (Knuth's two-sum). The quotient is
// then corrected by its remainder.
double Samples::exact_mean() const {
  double sum = 0, rest = 0;
  for (const double score : scores_) {
    const double next = sum + score, part = next - sum;
    rest += (sum - (next - part)) + (score - part);
    sum = next;
  }
  const auto n = static_cast<double>(scores_.size());
  const double quotient = (sum + rest) / n;
  const double mean = quotient + (std::fma(-quotient, n, sum) + rest) / n;
  return is_single_ ? static_cast<float>(mean) : mean;
}

double Samples::numpy_mean() const {
  const std::vector<double> sorted = this->sorted();
  if (is_single_) return eval::numpy_mean<float>(std::vector<float>(sorted.begin(), sorted.end()));
  return eval::numpy_mean<double>(sorted);
}

std::vector<double> Samples::sorted() const {
  std::vector<double> sorted = scores_;
  std::ranges::sort(sorted);
  return sorted;
}

Bounds Samples::bounds() const {
  const std::vector<double> sorted = this->sorted();
  const std::size_t left_out = sorted.size() / 40;  // at either end: 2.5 %
  return {.lower = sorted[left_out], .upper = sorted[sorted.size() - left_out - 1]};
}

double Samples::half_width() const {
  const auto [lower, upper] = bounds();
  return 0.5 * (is_single_ ? static_cast<float>(upper) - static_cast<float>(lower) : upper - lower);
}

}  // namespace dragoman::eval
