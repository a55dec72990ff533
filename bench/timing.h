// Timing of repeated work.
#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

namespace dragoman::bench {

// Seconds that one call of `work` takes.
template <class Work>
double time_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Calls `work` at least `repeats` times, and until the calls have taken `seconds` in total. Returns the time of each
// call.
template <class Work>
std::vector<double> times_of(const Work& work, int repeats, double seconds) {
  std::vector<double> times;
  for (double total = 0; std::ssize(times) < repeats || total < seconds; total += times.back()) {
    times.push_back(time_of(work));
  }
  return times;
}

// Requires at least one value.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace dragoman::bench
