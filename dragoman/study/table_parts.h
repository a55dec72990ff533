// Parts of the tables of studies, in Markdown and in HTML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/study/interval.h"

namespace dragoman::study {

inline constexpr const char* kUnknownCell = "–";

// "41.68 ± 0.52" for the text 41.68; the text alone without an interval.
std::string with_interval(std::string text, const Mean& mean);

// {"mean": ..., "half_width": ...}, null for what is unknown.
Json mean_json(const std::optional<Mean>& mean);

struct CellTable {
  std::vector<std::string> titles = {};
  std::vector<std::vector<std::string>> rows = {};  // each has a cell for every title
};

// The first `names` columns are aligned on the left, the others, which hold numbers, on the right.
std::string markdown_table(const CellTable& table, std::size_t names);
// One "- " line for each.
std::string markdown_notes(const std::vector<std::string>& notes);

// A table that can be folded, and is open; the first cell of a row is its heading.
std::string html_table(std::string_view title, const CellTable& table);
std::string html_notes(const std::vector<std::string>& notes);

}  // namespace dragoman::study
