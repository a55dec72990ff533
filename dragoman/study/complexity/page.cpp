#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "dragoman/base/fields.h"
#include "dragoman/base/strings.h"
#include "dragoman/study/complexity/study.h"
#include "dragoman/train/report/axis.h"
#include "dragoman/train/report/chart.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/parts.h"

namespace dragoman::study {
namespace {

using train::Axis;
using train::escaped;
using train::number_text;
using train::Point;
using train::Series;

// Coordinates of a drawing, which the page scales to the available width.
constexpr double kWidth = 400, kHeight = 300, kLeft = 58, kRight = 388, kTop = 10, kBottom = 262;

struct LogChart {
  std::string title, unit, x_name;
  std::vector<Series> series;  // all values are above 0
};

Axis log_axis(const std::vector<Series>& all, double Point::*coordinate, double from, double to) {
  train::ValueRange range;
  for (const Series& series : all) {
    for (const Point& point : series.points) range.include(point.*coordinate);
  }
  return {range.low / 1.15, range.high * 1.15, from, to, train::Scale::kLog};
}

std::string grid(const LogChart& chart, const Axis& x, const Axis& y) {
  std::string svg;
  for (const double tick : y.ticks(6)) {
    svg += fmt::format(R"(<path class="grid" d="M{} {:.1f}H{}"/><text class="y" x="{}" y="{:.1f}">{}</text>)", kLeft,
                       y.at(tick), kRight, kLeft - 7, y.at(tick) + 4, number_text(tick, 4));
  }
  svg += fmt::format(R"(<path class="axis" d="M{} {}H{}"/>)", kLeft, kBottom, kRight);
  // The sizes that were measured are powers of two or nearly, so their labels do not overlap.
  const std::vector<Point>& points = chart.series.front().points;
  for (const Point& point : points) {
    svg += fmt::format(R"(<path class="axis" d="M{0:.1f} {1}v4"/><text class="x" x="{0:.1f}" y="{2}">{3:.0f}</text>)",
                       x.at(point.x), kBottom, kBottom + 18, point.x);
  }
  return svg + fmt::format(R"(<text class="x" x="{}" y="{}">{}</text>)", (kLeft + kRight) / 2, kBottom + 34,
                           escaped(chart.x_name));
}

std::string curve(const Series& series, std::size_t number, const Axis& x, const Axis& y) {
  std::string path, values, dots;
  for (const Point& point : series.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(point.x), y.at(point.y));
    values += fmt::format("{}{:.0f} {}", values.empty() ? "" : ";", point.x, number_text(point.y, 4));
    dots += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5"/>)", x.at(point.x), y.at(point.y));
  }
  return fmt::format(R"(<g class="{}"><path class="curve" data-name="{}" data-values="{}" d="{}"/>{}</g>)",
                     series.colour(number), escaped(series.name), values, path, dots);
}

// For screen readers: "self: from 0.2 at 64 to 5.1 at 512."
std::string spoken(const LogChart& chart) {
  std::string text = fmt::format("{}, {}, over {}.", chart.title, chart.unit, chart.x_name);
  for (const Series& series : chart.series) {
    const Point &first = series.points.front(), &last = series.points.back();
    text += fmt::format(" {}: from {} at {:.0f} to {} at {:.0f}.", series.name, number_text(first.y), first.x,
                        number_text(last.y), last.x);
  }
  return escaped(text);
}

std::string log_figure(const LogChart& chart) {
  if (chart.series.empty()) return "";
  const Axis x = log_axis(chart.series, &Point::x, kLeft, kRight), y = log_axis(chart.series, &Point::y, kBottom, kTop);
  std::string svg = grid(chart, x, y);
  for (std::size_t i = 0; i < chart.series.size(); ++i) svg += curve(chart.series[i], i, x, y);
  return fmt::format(
      "<figure class=\"chart\">\n<figcaption><h3>{}</h3><p>{}, both axes on log scales</p>{}</figcaption>\n"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" data-unit=\"{}\" data-frame=\"{} {}\">{}</svg>\n"
      "</figure>\n",
      escaped(chart.title), escaped(chart.unit), train::chart_legend(chart.series), kWidth, kHeight, spoken(chart),
      escaped(chart.x_name), kTop, kBottom, svg);
}

// A curve for each layer that has this sweep, named after the layer and its slope.
LogChart sweep_chart(const ComplexityReport& report, std::string_view over, const std::string& title,
                     const std::string& unit, const std::function<double(const Measurement&)>& value,
                     double Sweep::Slopes::*slope) {
  LogChart chart{title, unit, std::string(over), {}};
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const Sweep* sweep = report.layers[i].sweep(over);
    if (sweep == nullptr || sweep->at.empty()) continue;
    const double fitted = sweep->slopes().*slope;
    std::string name(to_string(report.layers[i].kind));
    if (std::isfinite(fitted)) name += fmt::format(", slope {:.2f}", fitted);
    Series series{name, {}, i};
    for (std::size_t at = 0; at < sweep->at.size(); ++at) {
      series.points.push_back({static_cast<double>(sweep->x(at)), value(sweep->at[at])});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

LogChart path_chart(const ComplexityReport& report) {
  LogChart chart{"Path length", "layers, or steps of a recurrent layer, from the first position to the last", "n", {}};
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    Series series{std::string(to_string(report.layers[i].kind)), {}, i};
    for (const PathAt& path : report.layers[i].paths) {
      series.points.push_back({static_cast<double>(path.n), static_cast<double>(path.found)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

std::string charts(const ComplexityReport& report) {
  const auto operations = [](const Measurement& m) { return static_cast<double>(m.closed.forward()); };
  const auto forward = [](const Measurement& m) { return 1e3 * m.seconds.forward / static_cast<double>(m.B); };
  const auto both = [](const Measurement& m) { return 1e3 * m.seconds.with_backward / static_cast<double>(m.B); };
  const std::string milliseconds = "milliseconds of one sentence";
  std::string html;
  for (const std::string_view over : {"n", "d", "r"}) {
    html += log_figure(sweep_chart(report, over, fmt::format("Multiply-adds over {}", over), "of one sentence, forward",
                                   operations, &Sweep::Slopes::operations));
    if (!report.settings.times) continue;
    html += log_figure(sweep_chart(report, over, fmt::format("Time over {}", over), milliseconds + ", forward", forward,
                                   &Sweep::Slopes::forward));
    html += log_figure(sweep_chart(report, over, fmt::format("Time over {} with backward", over), milliseconds, both,
                                   &Sweep::Slopes::with_backward));
  }
  return "<section class=\"charts\">\n<h2>Charts</h2>\n<p class=\"note\">Slopes are fitted over the upper half of the "
         "sizes.</p>\n" +
         html + log_figure(path_chart(report)) + "</section>\n";
}

// escaped() replaces control characters, so it gets the text line by line.
std::string escaped_lines(std::string_view text) {
  std::string lines;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    lines += escaped(text.substr(0, end)) + "\n";
  }
  return lines;
}

}  // namespace

std::string complexity_page(const ComplexityReport& report) {
  const std::string title = "Table 1: complexity of layers";
  const std::vector<std::string> contradictions = report.contradictions();
  std::string verdict;
  for (const std::string& sentence : contradictions) verdict += "<p class=\"card\">" + escaped(sentence) + "</p>\n";
  return train::whole_page(
      title,
      fmt::format("<header>\n<h1>{}</h1>\n<p>{}, {}</p>\n</header>\n<main>\n{}{}<section>\n<h2>Numbers</h2>\n"
                  "<details open>\n<summary>The whole report as text</summary>\n<div class=\"scroll\">"
                  "<pre>{}</pre></div>\n</details>\n</section>\n</main>\n",
                  escaped(title), escaped(report.device), report.settings.dtype == DType::kBFloat16 ? "bf16" : "fp32",
                  verdict, charts(report), escaped_lines(complexity_text(report))));
}

}  // namespace dragoman::study
