#include "dragoman/study/table_parts.h"

#include <fmt/format.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/parts.h"

namespace dragoman::study {
namespace {

// A cell of Markdown must not hold the sign between cells.
std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell) line += c == '|' ? std::string("\\|") : std::string(1, c);
    line += " |";
  }
  return line + "\n";
}

}  // namespace

std::string with_interval(std::string text, const Mean& mean) {
  return mean.half_width ? fmt::format("{} ± {:.2f}", text, *mean.half_width) : text;
}

Json mean_json(const std::optional<Mean>& mean) {
  if (!mean) return nullptr;
  return {{"mean", mean->mean}, {"half_width", mean->half_width ? Json(*mean->half_width) : Json()}};
}

std::string markdown_table(const CellTable& table, std::size_t names) {
  std::string text = markdown_row(table.titles) + "|";
  for (std::size_t i = 0; i < table.titles.size(); ++i) text += i < names ? " --- |" : " ---: |";
  text += '\n';
  for (const std::vector<std::string>& cells : table.rows) text += markdown_row(cells);
  return text;
}

std::string markdown_notes(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "- " + note + "\n";
  return text;
}

std::string html_table(std::string_view title, const CellTable& table) {
  std::string rows;
  for (const std::vector<std::string>& cells : table.rows) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", train::escaped(cells.front()));
    for (std::size_t i = 1; i < cells.size(); ++i) rows += "<td>" + train::escaped(cells[i]) + "</td>";
    rows += "</tr>\n";
  }
  return train::folded_table(title, table.titles, rows, true);
}

std::string html_notes(const std::vector<std::string>& notes) {
  std::string html;
  for (const std::string& note : notes) html += "<p class=\"hint\">" + train::escaped(note) + "</p>\n";
  return html;
}

}  // namespace dragoman::study
