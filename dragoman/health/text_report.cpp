#include "dragoman/health/text_report.h"

#include <cmath>

namespace dragoman::health {

constexpr std::size_t kMaxExamples = 3;

void LineCount::add(const Place& place, std::size_t at) {
  lines += 1;
  if (examples.size() < kMaxExamples) examples.push_back(place.example(at));
}

void LengthAgreement::add(std::int64_t source_characters, std::int64_t target_characters) {
  const double a = std::log(static_cast<double>(source_characters));
  const double b = std::log(static_cast<double>(target_characters));
  pairs += 1;
  x += a;
  y += b;
  xx += a * a;
  yy += b * b;
  xy += a * b;
}

std::optional<double> LengthAgreement::correlation() const {
  constexpr std::int64_t kFewestPairs = 100;
  constexpr double kSmallestVariance = 0.01;  // lengths differ by some 10 %
  if (pairs < kFewestPairs) return std::nullopt;
  const auto n = static_cast<double>(pairs);
  const double variance_x = xx / n - (x / n) * (x / n), variance_y = yy / n - (y / n) * (y / n);
  if (variance_x < kSmallestVariance || variance_y < kSmallestVariance) return std::nullopt;
  return (xy / n - (x / n) * (y / n)) / std::sqrt(variance_x * variance_y);
}

}  // namespace dragoman::health
