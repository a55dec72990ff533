#include "dragoman/train/report/length_chart.h"

#include <gtest/gtest.h>

#include "dragoman/train/report/comparison.h"
#include "dragoman/train/testing.h"

namespace dragoman::train {
namespace {

using Systems = std::vector<eval::LengthReport>;

eval::LengthReport system_of(const std::string& name, std::vector<double> scores, std::int64_t sentences = 5) {
  eval::LengthReport report{.name = name, .bleu_signature = "nrefs:1", .chrf_signature = "nc:6"};
  report.scores.width = 10;
  std::int64_t first = 1;
  for (const double score : scores) {
    report.scores.buckets.push_back({.first = first,
                                     .last = first + 9,
                                     .sentences = sentences,
                                     .bleu = score,
                                     .interval = {0.9 * score, 1.1 * score},
                                     .chrf = 50,
                                     .ratio = 1});
    first += 10;
  }
  report.scores.all = report.scores.buckets.front();
  return report;
}

// The numbers after each `key`.
std::vector<double> numbers_after(const std::string& text, const std::string& key) {
  std::vector<double> numbers;
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    numbers.push_back(std::stod(text.substr(at + key.size())));
  }
  return numbers;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(LengthSvg, HasAPointAndABarOfSentencesForEachBucket) {
  const std::string svg = length_svg(Systems{system_of("base", {30, 20, 10})});
  EXPECT_EQ(count_of(svg, "<circle"), 3u);
  EXPECT_EQ(count_of(svg, "class=\"count\""), 3u);
  EXPECT_EQ(count_of(svg, "class=\"curve\""), 1u);
  EXPECT_TRUE(contains(svg, ">base</text>"));
  EXPECT_TRUE(contains(svg, ">11-20</text>"));
  EXPECT_TRUE(contains(svg, ">source words</text>"));
  EXPECT_TRUE(contains(svg, "base: from 30.0 for 1-10 words to 10.0 for 21-30 words.</desc>"));
  EXPECT_TRUE(contains(svg, "data-values=\"1-10 30.0\u00a0(27.0\u00a0to\u00a033.0),\u00a05\u00a0sentences;"));
}

// Points lie at 0 and 30 of 33 * 1.05 on an axis from 210 up to 10.
TEST(LengthSvg, DrawsScoresFromZero) {
  const std::vector<double> y = numbers_after(length_svg(Systems{system_of("base", {30, 0})}), " cy=\"");
  ASSERT_EQ(y.size(), 2u);
  EXPECT_NEAR(y[0], 210 - 200 * 30 / (33 * 1.05), 0.1);
  EXPECT_EQ(y[1], 210);
}

TEST(LengthSvg, IsDrawnWithoutStyleVariablesInLightAndDark) {
  const std::string svg = length_svg(Systems{system_of("a", {30}), system_of("b", {20})});
  EXPECT_FALSE(contains(svg, "var("));
  EXPECT_TRUE(contains(svg, ".card{fill:#ffffff}"));
  const std::string dark = svg.substr(svg.find("prefers-color-scheme:dark"));
  EXPECT_TRUE(contains(dark, ".card{fill:#1e1e1c}"));
  EXPECT_TRUE(contains(dark, ".r1 path{stroke:#d90a1e}"));
}

TEST(LengthSvg, DrawsASingleBucketWithoutAnyMatch) {
  const std::string svg = length_svg(Systems{system_of("base", {0})});
  EXPECT_FALSE(contains(svg, "nan"));
  EXPECT_FALSE(contains(svg, "inf"));
}

TEST(LengthSvg, EscapesNames) {
  EXPECT_TRUE(contains(length_svg(Systems{system_of("<a & b>", {30})}), ">&lt;a &amp; b&gt;</text>"));
}

TEST(LengthSvg, KeepsEverythingInsideTheDrawing) {
  Systems systems;
  for (std::size_t i = 0; i < kMaxComparedRuns; ++i) {
    systems.push_back(system_of("a system with quite a long name, number " + std::to_string(i),
                                std::vector<double>(40, 90), static_cast<std::int64_t>(i + 1)));
  }
  const std::string svg = length_svg(systems);
  for (const char* key : {" cx=\"", " x=\""}) {
    for (const double x : numbers_after(svg, key)) {
      EXPECT_GE(x, 40);
      EXPECT_LE(x, 508);
    }
  }
  EXPECT_EQ(count_of(svg, "class=\"count\""), 8u * 40u);  // their numbers differ, so each has bars of its own
}

TEST(LengthSvg, DrawsOneSetOfBarsForSystemsOfTheSameTestSet) {
  EXPECT_EQ(count_of(length_svg(Systems{system_of("a", {30, 20}), system_of("b", {25, 15})}), "class=\"count\""), 2u);
}

// Labels are centred at their x; with about seven units for each character they must not touch.
TEST(LengthSvg, LeavesOutLabelsThatWouldOverlap) {
  const std::string svg = length_svg(Systems{system_of("base", std::vector<double>(300, 20))});
  std::vector<double> x = numbers_after(svg, "<text class=\"x\" x=\"");
  x.pop_back();  // "source words"
  ASSERT_GE(x.size(), 4u);
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_GE(x[i] - x[i - 1], 9 * 6.5);  // "2991-3000"
  EXPECT_LE(x.back(), 520 - 9 * 6.5 / 2);                                          // inside the drawing
}

TEST(LengthSvg, ManagesABucketFarBeyondTheOthers) {
  eval::LengthReport system = system_of("base", {30, 20});
  system.scores.buckets[1].first = 4'000'000'001;
  system.scores.buckets[1].last = 4'000'000'010;
  EXPECT_LT(length_svg(Systems{system}).size(), 10'000u);
}

TEST(LengthPage, HasTheNumbersAsATable) {
  const std::string page = length_page(Systems{system_of("base", {30, 20})});
  EXPECT_TRUE(contains(page, "<th scope=\"col\">Source words</th><th scope=\"col\">Sentences</th>"));
  EXPECT_TRUE(contains(page,
                       "<tr><th scope=\"row\">11-20</th><td>5</td><td>20.00</td><td>18.00 to 22.00</td>"
                       "<td>50.00</td><td>1.000</td></tr>"));
  EXPECT_TRUE(contains(page, "<tr><th scope=\"row\">all</th>"));
  EXPECT_TRUE(contains(page, "<title>BLEU by length of the source: base</title>"));
  EXPECT_TRUE(contains(page, "data-unit=\"words\" data-frame=\"10 276\""));
}

TEST(LengthPage, NamesTheSystemsThatItCompares) {
  const std::string page = length_page(Systems{system_of("a", {30}), system_of("<b>", {20})});
  EXPECT_TRUE(contains(page, "<li class=\"r0\">a</li><li class=\"r1\">&lt;b&gt;</li>"));
  EXPECT_TRUE(contains(page, "<th scope=\"row\">1-10</th><td>&lt;b&gt;</td>"));
  EXPECT_FALSE(contains(page, "<b><b>"));
}

}  // namespace
}  // namespace dragoman::train
