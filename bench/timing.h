// Timing of repeated work.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace dragoman::bench {

// Seconds that one call of `work` takes.
template <class Work>
double time_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Requires at least one value.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace dragoman::bench
