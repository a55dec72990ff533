// A table of text in aligned columns.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace dragoman {

using TableRow = std::vector<std::string>;

// One line for each row, with two spaces before each column. The first `names` columns are aligned on the left, the
// others, which hold numbers, on the right. All rows have as many entries as the first.
std::string aligned_rows(std::span<const TableRow> rows, std::size_t names);

}  // namespace dragoman
