#include "dragoman/train/report/axis.h"

#include <cmath>

namespace dragoman::train {

// The distance between ticks is 1, 2 or 5 times a power of ten: the smallest that is at least (high - low) / count.
std::vector<double> linear_ticks(double low, double high, int count) {
  const double rough = (high - low) / count, decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double round : {5.0, 2.0, 1.0}) {
    if (round * decade >= rough) step = round * decade;
  }
  std::vector<double> ticks;
  // Multiplies instead of adding steps, because a sum drifts and 0 would print as 1e-17.
  for (double multiple = std::ceil(low / step); multiple * step <= high; ++multiple) ticks.push_back(multiple * step);
  return ticks;
}

// Ticks at 1, 2 and 5 times each power of ten. If these are few, also at 3 and 7 times; if they are too many, only at
// every power of ten, or at every second one, and so on.
std::vector<double> log_ticks(double low, double high, int count) {
  const auto ticks_at = [&](const std::vector<double>& rounds, int decades) {
    std::vector<double> ticks;
    const int first = static_cast<int>(std::floor(std::log10(low) / decades)) * decades;
    for (int power = first; std::pow(10, power) <= high; power += decades) {
      for (const double round : rounds) {
        const double tick = round * std::pow(10, power);
        if (tick >= low && tick <= high) ticks.push_back(tick);
      }
    }
    return ticks;
  };
  const auto most = static_cast<std::size_t>(count) + 2;
  std::vector<double> ticks = ticks_at({1, 2, 5}, 1);
  if (ticks.size() < 4) ticks = ticks_at({1, 2, 3, 5, 7}, 1);
  if (ticks.size() < 3) return linear_ticks(low, high, count);  // less than a decade or so
  for (int decades = 1; ticks.size() > most; ++decades) ticks = ticks_at({1}, decades);
  return ticks;
}

}  // namespace dragoman::train
