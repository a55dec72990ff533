#include "dragoman/backend/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace dragoman {

std::string profile_table(const std::map<std::string, LaunchTimes>& times) {
  std::vector<std::pair<std::string, LaunchTimes>> rows(times.begin(), times.end());
  std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second.milliseconds; });
  std::string text;
  double all = 0;
  for (const auto& [name, time] : rows) {
    const std::string busy = time.busy ? fmt::format("{:5.0f} % busy", 100 * *time.busy) : "";
    fmt::format_to(std::back_inserter(text), "{:10.3f} ms{} {:6} x {}\n", time.milliseconds, busy, time.launches, name);
    all += time.milliseconds;
  }
  return text + fmt::format("{:10.3f} ms in total\n", all);
}

}  // namespace dragoman
