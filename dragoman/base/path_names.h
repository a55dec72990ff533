// Short names for directories, by which a user tells them apart.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

// The last part of each path, with as many of the parts before it as make the names different: "a/model" and "b/model"
// for "runs/a/model" and "runs/b/model". Throws a UsageError if two paths name the same directory.
std::vector<std::string> distinct_names(const std::vector<std::filesystem::path>& directories);

}  // namespace dragoman
