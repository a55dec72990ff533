// Longer lines from neighbouring ones.
#pragma once

#include <string>
#include <vector>

namespace dragoman::data {

// Each group of `count` lines, from the first, as one line with a space between them; the last group may have fewer.
// Empty lines add nothing, not even a space. Two files with the same number of lines stay parallel. Requires a count of
// at least 1.
std::vector<std::string> joined_lines(std::vector<std::string> lines, int count);

}  // namespace dragoman::data
