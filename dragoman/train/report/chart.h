// Line charts over the steps of a run, drawn as SVG text: axes, ticks and curves are there without JavaScript.
#pragma once

#include <string>
#include <vector>

namespace dragoman::train {

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string name;
  std::vector<Point> points;  // by rising x; those whose y is not finite are left out
};

enum class Scale { kLinear, kLog };

struct Chart {
  std::string title;
  std::string unit;  // of the vertical axis
  Scale scale = Scale::kLinear;
  bool from_zero = false;
  std::vector<Series> series;  // one to three
};

// A <figure> with caption, legend and curves. The values shown are in attributes of the curves, where the page's
// script finds them for its read-out.
std::string chart_figure(const Chart& chart);

// At most `most` of the points: the first, the last, and the lowest and highest of each stretch between, so that no
// spike is lost.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most);

// The means of at most `most` stretches of the points, alike in count.
std::vector<Point> averaged(const std::vector<Point>& points, std::size_t most);

// Round values for the marks of an axis from `low` to `high`, about `count` of them, none outside.
std::vector<double> linear_ticks(double low, double high, int count);
std::vector<double> log_ticks(double low, double high, int count);

}  // namespace dragoman::train
