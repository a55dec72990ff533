#include "dragoman/train/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dragoman/base/strings.h"
#include "dragoman/train/report/html.h"

namespace dragoman::train {
namespace {

// Coordinates of the drawing, which the page scales to the available width.
constexpr double kWidth = 400, kHeight = 240, kLeft = 54, kRight = 388, kTop = 10, kBottom = 210;
constexpr std::size_t kMaxDots = 40;

// The points that can be drawn: finite, small enough to leave a margin, and above zero on a log scale.
std::vector<Series> drawable(const Chart& chart) {
  constexpr double kMaxValue = 1e200;
  const double lowest = chart.scale == Scale::kLog ? 1 / kMaxValue : -kMaxValue;
  std::vector<Series> all;
  for (const Series& series : chart.series) {
    Series kept{series.name, {}, series.run};
    for (const Point& point : series.points) {
      if (point.y >= lowest && point.y <= kMaxValue) kept.points.push_back(point);
    }
    if (!kept.points.empty()) all.push_back(std::move(kept));
  }
  return all;
}

struct Axes {
  Axis x, y;
};

Axes axes_for(const Chart& chart, const std::vector<Series>& all) {
  ValueRange x, y;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      x.include(point.x);
      y.include(point.y);
    }
  }
  // All charts of a run have the same steps below them, also those of the validations, which begin late.
  x.include(0);
  x.include(static_cast<double>(chart.steps));
  if (chart.from_zero) y.include(0);
  x.widen();
  y.widen();
  if (chart.scale == Scale::kLinear) {
    const double margin = (y.high - y.low) * 0.05;
    y.high += margin;
    if (y.low != 0) y.low -= margin;
  } else {
    y.low /= 1.1;
    y.high *= 1.1;
  }
  return {{x.low, x.high, kLeft, kRight, Scale::kLinear}, {y.low, y.high, kBottom, kTop, chart.scale}};
}

std::string step_text(double step) { return with_thousands(std::llround(step)); }

std::string grid(const Axes& axes) {
  std::string svg;
  for (const double tick : axes.y.ticks(5)) {
    const double y = axes.y.at(tick);
    svg += fmt::format(R"(<path class="grid" d="M{} {:.1f}H{}"/><text class="y" x="{}" y="{:.1f}">{}</text>)", kLeft, y,
                       kRight, kLeft - 7, y + 4, number_text(tick, 4));
  }
  svg += fmt::format(R"(<path class="axis" d="M{} {}H{}"/><text class="y" x="{}" y="{}">step</text>)", kLeft, kBottom,
                     kRight, kLeft - 12, kBottom + 19);
  for (const double tick : axes.x.ticks(4)) {
    if (tick != std::floor(tick)) continue;  // steps are whole numbers
    const double x = axes.x.at(tick);
    // A label is centred under its tick, unless it would extend beyond the drawing.
    const std::string_view anchor = x > kRight - 20 ? "x end" : "x";
    svg += fmt::format(R"(<path class="axis" d="M{:.1f} {}v4"/><text class="{}" x="{:.1f}" y="{}">{}</text>)", x,
                       kBottom, anchor, std::min(x, kRight + 4), kBottom + 19, step_text(tick));
  }
  return svg;
}

std::string path_of(const std::vector<Point>& points, const Axes& axes) {
  std::string path;
  for (const Point& point : points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", axes.x.at(point.x), axes.y.at(point.y));
  }
  return path;
}

// For very many points, draws a curve of means on top of a band that shows the range of the points.
std::string curve(const Series& series, std::size_t number, const Axes& axes, std::size_t max_points) {
  const bool has_band = series.points.size() > max_points;
  const std::vector<Point> points = has_band ? averaged(series.points, max_points / 2) : series.points;
  std::string svg = fmt::format(R"(<g class="{}">)", series.colour(number)), values;
  if (has_band) svg += fmt::format(R"(<path class="band" d="{}"/>)", path_of(thinned(series.points, max_points), axes));
  for (const Point& point : points) {
    values += fmt::format("{}{} {}", values.empty() ? "" : ";", step_text(point.x), number_text(point.y, 4));
  }
  svg += fmt::format(R"(<path class="curve" data-name="{}" data-values="{}" d="{}"/>)", escaped(series.name), values,
                     path_of(points, axes));
  if (points.size() > kMaxDots) return svg + "</g>";
  for (const Point& point : points) {
    svg += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5"/>)", axes.x.at(point.x), axes.y.at(point.y));
  }
  return svg + "</g>";
}

// For screen readers: "Loss, nats per token. Training: from 9.2 at step 10 to 3.1 at step 3,000."
std::string aria_text(const Chart& chart, const std::vector<Series>& all) {
  std::string text = fmt::format("{}, {}.", chart.title, chart.unit);
  for (const Series& series : all) {
    const Point &first = series.points.front(), &last = series.points.back();
    text += fmt::format(" {}: from {} at step {} to {} at step {}.", series.name, number_text(first.y),
                        step_text(first.x), number_text(last.y), step_text(last.x));
  }
  return escaped(text);
}

}  // namespace

std::string Series::colour(std::size_t number) const {
  return run ? fmt::format("r{}", *run) : fmt::format("s{}", number);
}

std::string chart_legend(const std::vector<Series>& all) {
  // A page of several runs says whose curve it is even if only one of them has it.
  if (all.empty() || (all.size() == 1 && !all.front().run)) return "";
  std::string items;
  for (std::size_t i = 0; i < all.size(); ++i)
    items += fmt::format(R"(<li class="{}">{}</li>)", all[i].colour(i), escaped(all[i].name));
  return "<ul class=\"legend\">" + items + "</ul>";
}

std::string chart_figure(const Chart& chart) {
  const std::vector<Series> all = drawable(chart);
  std::string html =
      fmt::format("<figure class=\"chart\">\n<figcaption><h3>{}</h3><p>{}{}</p>{}</figcaption>\n", escaped(chart.title),
                  escaped(chart.unit), chart.scale == Scale::kLog ? ", log scale" : "", chart_legend(all));
  if (all.empty()) {
    html += "<p class=\"none\">Nothing recorded yet.</p>\n";
  } else {
    const Axes axes = axes_for(chart, all);
    html +=
        fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth, kHeight, aria_text(chart, all));
    html += grid(axes);
    for (std::size_t i = 0; i < all.size(); ++i) html += curve(all[i], i, axes, chart.max_points);
    html += "</svg>\n";
  }
  return html + "</figure>\n";
}

std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most) {
  if (points.size() <= most) return points;
  std::vector<Point> kept{points.front()};
  const std::size_t intervals = (most - 2) / 2, inner = points.size() - 2;
  for (std::size_t i = 0; i < intervals; ++i) {
    const auto from = points.begin() + 1 + static_cast<std::ptrdiff_t>(i * inner / intervals);
    const auto to = points.begin() + 1 + static_cast<std::ptrdiff_t>((i + 1) * inner / intervals);
    const auto [lowest, highest] = std::minmax_element(from, to, [](auto& a, auto& b) { return a.y < b.y; });
    kept.push_back(*std::min(lowest, highest));
    if (lowest != highest) kept.push_back(*std::max(lowest, highest));
  }
  kept.push_back(points.back());
  return kept;
}

std::vector<Point> averaged(const std::vector<Point>& points, std::size_t most) {
  const std::size_t intervals = std::min(points.size(), most);
  std::vector<Point> means(intervals);
  for (std::size_t i = 0; i < intervals; ++i) {
    const std::size_t from = i * points.size() / intervals, to = (i + 1) * points.size() / intervals;
    const double share = 1.0 / static_cast<double>(to - from);
    for (std::size_t at = from; at < to; ++at) {
      means[i].x += share * points[at].x;
      means[i].y += share * points[at].y;
    }
  }
  return means;
}

}  // namespace dragoman::train
