#include "dragoman/train/report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dragoman/train/testing.h"

namespace dragoman::train {
namespace {

Chart chart_of(std::vector<Point> points) {
  return {.title = "Loss", .unit = "nats", .series = {{.name = "training", .points = std::move(points)}}};
}

TEST(Thinned, KeepsTheEndsAndEverySpike) {
  std::vector<Point> points;
  for (int i = 0; i < 10'000; ++i) points.push_back({static_cast<double>(i), std::sin(i)});
  points[5'001].y = 50;
  points[5'002].y = -50;
  const std::vector<Point> kept = thinned(points, 600);
  EXPECT_LE(kept.size(), 600u);
  EXPECT_EQ(kept.front().x, 0);
  EXPECT_EQ(kept.back().x, 9'999);
  EXPECT_TRUE(std::ranges::is_sorted(kept, std::ranges::less_equal{}, &Point::x));
  const auto [lowest, highest] = std::ranges::minmax(kept, {}, &Point::y);
  EXPECT_EQ(lowest.y, -50);
  EXPECT_EQ(highest.y, 50);
}

TEST(Thinned, LeavesAShortCurveAlone) { EXPECT_EQ(thinned({{1, 2}, {3, 4}}, 600).size(), 2u); }

TEST(Averaged, TakesTheMeanOfEachInterval) {
  const std::vector<Point> means = averaged({{1, 2}, {3, 4}, {5, 5}, {6, 7}, {7, 9}}, 2);
  ASSERT_EQ(means.size(), 2u);
  EXPECT_DOUBLE_EQ(means[0].x, 2);
  EXPECT_DOUBLE_EQ(means[0].y, 3);
  EXPECT_DOUBLE_EQ(means[1].x, 6);
  EXPECT_DOUBLE_EQ(means[1].y, 7);
  EXPECT_EQ(averaged({{1, 2}}, 300).size(), 1u);
}

TEST(ChartFigure, DescribesItsCurvesInWordsAndValues) {
  const std::string html = chart_figure(chart_of({{10, 9.5}, {3000, 2.25}}));
  EXPECT_TRUE(contains(html, "aria-label=\"Loss, nats. training: from 9.5 at step 10 to 2.25 at step 3,000.\""));
  EXPECT_TRUE(contains(html, "data-values=\"10 9.5;3,000 2.25\""));
}

TEST(ChartFigure, DrawsASinglePoint) {
  EXPECT_TRUE(contains(chart_figure(chart_of({{1, 0}})), "<circle"));
  EXPECT_FALSE(contains(chart_figure(chart_of({{1, 0}})), "nan"));
}

TEST(ChartFigure, DrawsACurveThatDiffersByRoundingAlone) {
  EXPECT_TRUE(contains(chart_figure(chart_of({{1, 1e20}, {2, std::nextafter(1e20, 2e20)}})), "<circle"));
}

TEST(ChartFigure, LeavesOutWhatIsNotANumber) {
  const std::string html = chart_figure(chart_of({{1, 5}, {2, std::nan("")}, {3, INFINITY}, {4, 3}, {5, 1e308}}));
  EXPECT_TRUE(contains(html, "data-values=\"1 5;4 3\""));
  EXPECT_FALSE(contains(html, "nan"));
  EXPECT_FALSE(contains(html, "inf"));
}

TEST(ChartFigure, DrawsABandBehindTheMeansOfALongCurve) {
  std::vector<Point> points;
  for (int i = 0; i < 600; ++i) points.push_back({static_cast<double>(i), static_cast<double>(i % 2)});
  EXPECT_FALSE(contains(chart_figure(chart_of(points)), "class=\"band\""));
  points.push_back({600, 0});
  EXPECT_TRUE(contains(chart_figure(chart_of(points)), "class=\"band\""));
}

TEST(ChartFigure, SaysThatThereIsNothingToDraw) {
  EXPECT_TRUE(contains(chart_figure(chart_of({})), "Nothing recorded"));
}

TEST(ChartFigure, KeepsEveryPointInsideTheFrame) {
  for (const Scale scale : {Scale::kLinear, Scale::kLog}) {
    Chart chart = chart_of({{1, 1e-9}, {2, 1e9}, {3, 4}});
    chart.scale = scale;
    const std::string html = chart_figure(chart);
    for (std::size_t at = html.find("cy=\""); at != std::string::npos; at = html.find("cy=\"", at + 1)) {
      const double y = std::stod(html.substr(at + 4));
      EXPECT_GE(y, 10);  // the upper and lower edge of the frame
      EXPECT_LE(y, 210);
    }
  }
}

}  // namespace
}  // namespace dragoman::train
