#include "dragoman/base/text_table.h"

#include <algorithm>

#include "dragoman/base/utf8.h"

namespace dragoman {

std::string aligned_rows(std::span<const TableRow> rows, std::size_t names) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], count_characters(row[i]));
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - count_characters(row[i]), ' ');
      line += "  " + (i < names ? row[i] + padding : padding + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace dragoman
