// The axes of charts: from values to coordinates, and where the ticks are.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dragoman::train {

enum class Scale { kLinear, kLog };

// About `count` round values between `low` and `high` for the ticks of an axis.
std::vector<double> linear_ticks(double low, double high, int count);
std::vector<double> log_ticks(double low, double high, int count);

struct Axis {
  double low = 0, high = 1;  // values at the ends of the axis
  double from = 0, to = 1;   // coordinates of the ends
  Scale scale = Scale::kLinear;

  double at(double value) const {
    const bool is_log = scale == Scale::kLog;
    const double share = is_log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return from + share * (to - from);
  }
  std::vector<double> ticks(int count) const {
    return scale == Scale::kLog ? log_ticks(low, high, count) : linear_ticks(low, high, count);
  }
};

struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Gives a range without width (apart from rounding) some width, because it has no scale otherwise.
  void widen() {
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low > 1e-9 * size) return;
    const double margin = size == 0 ? 1 : size / 2;
    low -= margin;
    high += margin;
  }
};

}  // namespace dragoman::train
