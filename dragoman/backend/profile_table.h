// The report of a profile: the time of each kind of launch (Backend::profile).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dragoman {

struct LaunchTimes {
  double milliseconds = 0;
  std::int64_t launches = 0;
  std::optional<double> busy = {};  // the share of the threads' time in which they computed; absent on a GPU
};

// One line per name, the longest time first: milliseconds, busy, number of launches, name. Then the sum of the times.
std::string profile_table(const std::map<std::string, LaunchTimes>& times);

}  // namespace dragoman
