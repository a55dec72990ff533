#include <fmt/format.h>

#include <algorithm>

#include "dragoman/study/cost/table.h"
#include "dragoman/train/report/axis.h"
#include "dragoman/train/report/chart.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/parts.h"

namespace dragoman::study::cost {
namespace {

using train::escaped;

constexpr const char* kTitle = "Table 2: the cost of training";

// A row of the chart, in FLOPs.
struct Bars {
  std::string name;
  std::optional<double> by_machine = {}, by_model = {};
};

// Places in the drawing. A row has a bar by the machine and below it one by the model.
struct Frame {
  static constexpr double kWidth = 480, kLeft = 178, kRight = 468, kTop = 8, kRow = 26, kBar = 9;
  double bottom = 0;
  train::Axis axis = {};

  double row(std::size_t number) const { return kTop + kRow * static_cast<double>(number); }
};

Frame frame_for(const std::vector<Bars>& rows) {
  train::ValueRange range;
  for (const Bars& row : rows) {
    for (const std::optional<double>& flops : {row.by_machine, row.by_model}) {
      if (flops) range.include(*flops);
    }
  }
  Frame frame;
  frame.bottom = frame.row(rows.size());
  // Bars on a log scale have no zero to start from. The smallest must still be seen.
  frame.axis = {.low = range.low / 4,
                .high = range.high * 1.2,
                .from = Frame::kLeft,
                .to = Frame::kRight,
                .scale = train::Scale::kLog};
  return frame;
}

std::string bar(const Frame& frame, double y, const std::optional<double>& flops, std::string_view colour) {
  if (!flops) return "";
  return fmt::format(R"(<g class="{}"><rect class="count" x="{}" y="{:.1f}" width="{:.1f}" height="{}"/></g>)", colour,
                     Frame::kLeft, y, frame.axis.at(*flops) - Frame::kLeft, Frame::kBar);
}

std::string drawing(const std::vector<Bars>& rows, const Frame& frame) {
  std::string svg;
  for (const double tick : frame.axis.ticks(5)) {
    const double x = frame.axis.at(tick);
    svg += fmt::format(R"(<path class="grid" d="M{:.1f} {}V{}"/><text class="x" x="{:.1f}" y="{}">{}</text>)", x,
                       Frame::kTop, frame.bottom, x, frame.bottom + 16, train::number_text(tick));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = frame.row(i) + 3;
    svg += fmt::format(R"(<text class="y" x="{}" y="{:.1f}">{}</text>)", Frame::kLeft - 7, y + 13,
                       escaped(train::shortened(rows[i].name, 28)));
    svg += bar(frame, y, rows[i].by_machine, "s0") + bar(frame, y + Frame::kBar + 1, rows[i].by_model, "s1");
  }
  return svg;
}

std::vector<Bars> bars_of(const CostTable& table) {
  std::vector<Bars> rows;
  for (const PaperRow& row : table.paper) {
    const std::optional<double>& flops = row.german.flops ? row.german.flops : row.french.flops;
    if (flops) rows.push_back({.name = row.name, .by_machine = flops, .by_model = row.model_flops()});
  }
  for (const CostRow& row : table.rows) {
    const std::optional<Mean> machine = row.mean(&RunCost::machine_flops), model = row.mean(&RunCost::model_flops);
    if (!machine && !model) continue;
    rows.push_back({.name = row.name});
    if (machine) rows.back().by_machine = machine->mean;
    if (model) rows.back().by_model = model->mean;
  }
  return rows;
}

std::string figure(const CostTable& table) {
  const std::vector<Bars> rows = bars_of(table);
  const Frame frame = frame_for(rows);
  const std::string legend =
      train::chart_legend({{.name = "by the machine", .points = {}}, {.name = "by the model", .points = {}}});
  return fmt::format(
      "<figure class=\"card wide\">\n<figcaption><h3>FLOPs of training</h3><p>on a log scale; the paper's systems for "
      "English to German, Deep-Att for English to French</p>{}</figcaption>\n"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"FLOPs of training; the tables below have the "
      "numbers\">{}</svg>\n</figure>\n",
      legend, Frame::kWidth, frame.bottom + 24, drawing(rows, frame));
}

}  // namespace

std::string cost_page(const CostTable& table) {
  std::string numbers = html_table("The paper: WMT 2014, newstest2014", paper_cells(table));
  if (!table.rows.empty()) numbers = html_table("Training runs", run_cells(table)) + numbers;
  return train::whole_page(
      kTitle, fmt::format("<header>\n<h1>{}</h1>\n<p>of \"Attention Is All You Need\", with runs of this "
                          "program</p>\n</header>\n<main>\n<section>\n<h2>Cost</h2>\n<div class=\"charts\">\n{}</div>\n"
                          "</section>\n<section>\n<h2>Numbers</h2>\n{}{}</section>\n</main>\n",
                          kTitle, figure(table), numbers, html_notes(table.notes)));
}

}  // namespace dragoman::study::cost
