#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dragoman/study/ablate/table_text.h"
#include "dragoman/train/report/axis.h"
#include "dragoman/train/report/chart.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/parts.h"

namespace dragoman::study::ablate {
namespace {

using train::escaped;

constexpr const char* kTitle = "Table 3: variations of the model";

// A row of the chart: our difference from base and the paper's.
struct Bars {
  std::string name;
  std::optional<Mean> ours = {};
  std::optional<double> paper = {};
};

// Places in the drawing. A row has a bar of ours and below it one of the paper's.
struct Frame {
  static constexpr double kWidth = 400, kLeft = 104, kRight = 388, kTop = 8, kRow = 30, kBar = 10;
  double bottom = 0;
  train::Axis axis = {};

  double row(std::size_t number) const { return kTop + kRow * static_cast<double>(number); }
};

Frame frame_for(const std::vector<Bars>& rows) {
  train::ValueRange range;
  range.include(0);
  for (const Bars& row : rows) {
    if (row.paper) range.include(*row.paper);
    if (!row.ours) continue;
    range.include(row.ours->mean);
    // An interval over two seeds can be far wider than all differences, so it may end at the edge.
    const double reach = std::min(row.ours->half_width.value_or(0), 2 * std::abs(row.ours->mean));
    range.include(row.ours->mean - reach);
    range.include(row.ours->mean + reach);
  }
  range.widen();
  Frame frame;
  frame.bottom = frame.row(rows.size());
  frame.axis = {.low = range.low, .high = range.high, .from = Frame::kLeft, .to = Frame::kRight};
  return frame;
}

std::string bar(const Frame& frame, double y, double value, std::string_view colour) {
  const double zero = frame.axis.at(0), end = frame.axis.at(value);
  return fmt::format(R"(<g class="{}"><rect class="count" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/></g>)",
                     colour, std::min(zero, end), y, std::abs(end - zero), Frame::kBar);
}

std::string interval(const Frame& frame, double y, const Mean& mean) {
  if (!mean.half_width) return "";
  const auto at = [&](double value) { return std::clamp(frame.axis.at(value), Frame::kLeft, Frame::kRight); };
  return fmt::format(R"-(<path class="axis" style="stroke: var(--ink)" d="M{:.1f} {:.1f}H{:.1f}"/>)-",
                     at(mean.mean - *mean.half_width), y + Frame::kBar / 2, at(mean.mean + *mean.half_width));
}

std::string drawing(const std::vector<Bars>& rows, const Frame& frame) {
  std::string svg;
  for (const double tick : frame.axis.ticks(5)) {
    const double x = frame.axis.at(tick);
    svg += fmt::format(R"(<path class="{}" d="M{:.1f} {}V{}"/><text class="x" x="{:.1f}" y="{}">{}</text>)",
                       tick == 0 ? "axis" : "grid", x, Frame::kTop, frame.bottom, x, frame.bottom + 16,
                       train::number_text(tick == 0 ? 0 : tick));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = frame.row(i) + 3;
    svg +=
        fmt::format(R"(<text class="y" x="{}" y="{:.1f}">{}</text>)", Frame::kLeft - 7, y + 14, escaped(rows[i].name));
    if (rows[i].ours) svg += bar(frame, y, rows[i].ours->mean, "s0") + interval(frame, y, *rows[i].ours);
    if (rows[i].paper) svg += bar(frame, y + Frame::kBar + 1, *rows[i].paper, "s1");
  }
  return svg;
}

std::string figure(const std::string& title, const std::string& hint, const std::vector<Bars>& rows) {
  const Frame frame = frame_for(rows);
  const std::string legend = train::chart_legend(
      {{.name = "ours, with the 95 % interval", .points = {}}, {.name = "the paper", .points = {}}});
  return fmt::format(
      "<figure class=\"card wide\">\n<figcaption><h3>{0}</h3><p>{1}</p>{2}</figcaption>\n"
      "<svg viewBox=\"0 0 {3} {4}\" role=\"img\" aria-label=\"{0}; the table below has the numbers\">{5}</svg>\n"
      "</figure>\n",
      title, hint, legend, Frame::kWidth, frame.bottom + 24, drawing(rows, frame));
}

std::string figures(const Table& table) {
  std::vector<Bars> bleu, perplexity;
  for (const TableRow& row : table.rows) {
    if (!row.difference && !row.paper_difference) continue;
    bleu.push_back({.name = row.name});
    perplexity.push_back({.name = row.name});
    if (row.difference) {
      bleu.back().ours = row.difference->bleu;
      perplexity.back().ours = row.difference->perplexity;
    }
    if (row.paper_difference) {
      bleu.back().paper = row.paper_difference->bleu;
      perplexity.back().paper = row.paper_difference->perplexity;
    }
  }
  if (bleu.empty()) return "";
  return "<section>\n<h2>Differences from base</h2>\n<div class=\"charts\">\n" +
         figure("BLEU minus that of base", "to the right is better", bleu) +
         figure("Perplexity minus that of base", "to the left is better", perplexity) + "</div>\n</section>\n";
}

std::string numbers(const Table& table) {
  return "<section>\n<h2>Numbers</h2>\n" + html_table("The table", table_cells(table)) +
         html_notes(table_notes(table)) + "</section>\n";
}

}  // namespace

std::string table_page(const Table& table) {
  return train::whole_page(kTitle, fmt::format("<header>\n<h1>{}</h1>\n<p>of \"Attention Is All You Need\", made "
                                               "again</p>\n</header>\n<main>\n{}{}</main>\n",
                                               kTitle, figures(table), numbers(table)));
}

}  // namespace dragoman::study::ablate
