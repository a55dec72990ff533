// The contents of a directory, for comparing two of them; everything except times.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace dragoman::faults {

// Contents by relative name; "(directory)" for a directory. Values that depend on the clock are removed.
using Snapshot = std::map<std::string, std::string>;

Snapshot snapshot_of(const std::filesystem::path& directory);

// "same", or how each name differs: "metrics.jsonl differs, probe/step-5.jsonl is missing".
std::string difference(const Snapshot& found, const Snapshot& expected);

}  // namespace dragoman::faults
