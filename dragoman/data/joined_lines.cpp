#include "dragoman/data/joined_lines.h"

#include <utility>

namespace dragoman::data {

std::vector<std::string> joined_lines(std::vector<std::string> lines, int count) {
  if (count == 1) return lines;
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i % static_cast<std::size_t>(count) == 0) {
      joined.push_back(std::move(lines[i]));
    } else if (!lines[i].empty()) {
      joined.back() += (joined.back().empty() ? "" : " ") + lines[i];
    }
  }
  return joined;
}

}  // namespace dragoman::data
