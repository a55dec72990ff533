#include "dragoman/base/path_names.h"

#include <algorithm>
#include <cstddef>
#include <system_error>

#include "dragoman/base/error.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// The parts of the whole path without the root. Links are followed where that is possible.
std::vector<std::string> path_parts(const fs::path& directory) {
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(fs::absolute(directory, failed), failed);
  if (failed || whole.empty()) whole = directory.lexically_normal();
  std::vector<std::string> parts;
  for (const fs::path& part : whole.relative_path()) {
    if (!part.empty()) parts.push_back(part.string());
  }
  if (parts.empty()) parts.push_back("/");
  return parts;
}

std::string last_parts(const std::vector<std::string>& parts, std::size_t count) {
  std::string name;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) {
    name += (name.empty() ? "" : "/") + parts[i];
  }
  return name;
}

}  // namespace

std::vector<std::string> distinct_names(const std::vector<fs::path>& directories) {
  std::vector<std::vector<std::string>> paths;
  for (const fs::path& directory : directories) {
    paths.push_back(path_parts(directory));
    require<UsageError>(std::ranges::count(paths, paths.back()) == 1, "'", directory.string(),
                        "' is named twice; name each directory once.");
  }
  std::vector<std::string> names;
  for (const auto& path : paths) {
    const auto is_ambiguous = [&](std::size_t count) {
      return std::ranges::count_if(
                 paths, [&](const auto& other) { return last_parts(other, count) == last_parts(path, count); }) > 1;
    };
    std::size_t count = 1;
    while (count < path.size() && is_ambiguous(count)) ++count;
    names.push_back(last_parts(path, count));
  }
  return names;
}

}  // namespace dragoman
