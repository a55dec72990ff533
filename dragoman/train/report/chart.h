// Draws line charts over the steps of a run as SVG text. They need no JavaScript.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/train/report/axis.h"

namespace dragoman::train {

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string name;
  std::vector<Point> points;  // ordered by x; points whose y is not finite are not drawn
  // In a chart of several runs: the number of the run, which has the same colour in all charts of the page.
  std::optional<std::size_t> run = {};

  // The class of its colour, if it is the drawn series with this number.
  std::string colour(std::size_t number) const;
};

struct Chart {
  std::string title;
  std::string unit;  // of the vertical axis
  Scale scale = Scale::kLinear;
  bool from_zero = false;
  std::int64_t steps = 0;  // of the run so far: the horizontal axis goes from 0 to here, or to the last point beyond
  std::size_t max_points = 600;  // of a curve; a longer one is drawn as means over a band
  std::vector<Series> series;    // one to three, or one for each run
};

// A <figure> with caption, legend and curves. The values are also in attributes of the curves, where the page's script
// reads them to show the values at the pointer.
std::string chart_figure(const Chart& chart);

// The names of the series beside their colours, as a list; nothing for a single series that is not a run.
std::string chart_legend(const std::vector<Series>& all);

// At most `most` of the points: the first, the last, and the lowest and highest of each interval between them, so that
// no spike is lost.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most);

// Divides the points into at most `most` intervals with about equal numbers of points, and returns the mean of each.
std::vector<Point> averaged(const std::vector<Point>& points, std::size_t most);

}  // namespace dragoman::train
