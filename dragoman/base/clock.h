// The time, for measuring how long something takes.
#pragma once

#include <chrono>

namespace dragoman {

// Seconds since some moment in the past. They only grow, whatever happens to the time of day.
inline double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace dragoman
