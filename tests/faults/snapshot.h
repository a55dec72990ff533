// What a directory holds, so that two can be compared: everything but times.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace dragoman::faults {

// Contents by relative name; a directory's are "(directory)". What depends on the clock is taken out.
using Snapshot = std::map<std::string, std::string>;

Snapshot snapshot_of(const std::filesystem::path& directory);

// "same", or the names that differ, each with how: "metrics.jsonl differs, probe/step-5.jsonl is missing".
std::string difference(const Snapshot& found, const Snapshot& expected);

}  // namespace dragoman::faults
