#include "dragoman/train/report/comparison.h"

#include <gtest/gtest.h>

#include "dragoman/train/report/testing.h"
#include "dragoman/train/testing.h"

namespace dragoman::train {
namespace {

ReportedRun named_run(const std::string& name, std::int64_t steps,
                      std::vector<std::pair<std::string, std::string>> settings) {
  return {.name = name,
          .metrics = run_of(steps),
          .facts = {.title = "de to en", .model = "small", .settings = std::move(settings)}};
}

// The part of the page from the figure with this title to its end.
std::string figure_of(const std::string& html, const std::string& title) {
  const std::size_t from = html.find("<h3>" + title + "</h3>");
  return from == std::string::npos ? "" : html.substr(from, html.find("</figure>", from) - from);
}

TEST(Comparison, OfOneRunIsItsReport) {
  const ReportedRun run = named_run("a", 50, {{"dropout", "0.1"}});
  EXPECT_EQ(comparison_html({run}), report_html(run.metrics, run.facts));
}

TEST(Comparison, DrawsTheRunsInOnePictureEachInItsOwnColour) {
  const std::string html = comparison_html({named_run("one", 100, {}), named_run("two", 40, {})});
  for (const char* title : {"BLEU", "Perplexity", "Training loss", "Learning rate", "Throughput", "Time"}) {
    const std::string figure = figure_of(html, title);
    EXPECT_TRUE(contains(figure, "<li class=\"r0\">one</li><li class=\"r1\">two</li>")) << title;
    EXPECT_EQ(count(figure, "class=\"curve\""), 2) << title;
  }
}

TEST(Comparison, RunsOfDifferentLengthHaveOneScale) {
  const std::string html = comparison_html({named_run("long", 100, {}), named_run("short", 40, {})});
  const std::string figure = figure_of(html, "Learning rate");
  // The last point of the short run is at 40 % of the axis, which goes from 54 to 388.
  const std::string path = figure.substr(figure.find("data-name=\"short\""));
  const std::string last = path.substr(path.rfind('L', path.find("\"/>")) + 1);
  EXPECT_NEAR(std::stod(last), 54 + 0.4 * (388 - 54), 0.1);
}

TEST(Comparison, ARunKeepsItsColourWhereTheOneBeforeHasNothingToDraw) {
  ReportedRun silent = named_run("silent", 10, {});
  silent.metrics.validations.clear();
  const std::string html = comparison_html({silent, named_run("b", 10, {})});
  EXPECT_TRUE(contains(figure_of(html, "BLEU"), "<ul class=\"legend\"><li class=\"r1\">b</li></ul>"));
}

TEST(Comparison, ShowsTheSettingsThatDifferAndNoOthers) {
  const std::string html = comparison_html({named_run("a", 10, {{"dropout", "0.1"}, {"seed", "1"}, {"layers", "2"}}),
                                            named_run("b", 10, {{"dropout", "0.3"}, {"seed", "1"}})});
  EXPECT_TRUE(contains(html, "<th scope=\"row\">dropout</th><td>0.1</td><td>0.3</td>"));
  EXPECT_TRUE(contains(html, "<th scope=\"row\">layers</th><td>2</td><td>–</td>"));
  EXPECT_FALSE(contains(html, "<th scope=\"row\">seed</th>"));
  EXPECT_TRUE(contains(html, "One other setting is the same in all of them."));
  EXPECT_TRUE(contains(comparison_html({named_run("a", 10, {{"seed", "1"}}), named_run("b", 10, {{"seed", "1"}})}),
                       "All settings of these runs are the same."));
  EXPECT_TRUE(contains(comparison_html({named_run("a", 10, {{"seed", "1"}}), named_run("b", 10, {})}),
                       "The settings of b are not known"));
}

TEST(Comparison, MarksTheBestRunOfAColumn) {
  ReportedRun worse = named_run("worse", 100, {});
  for (Validation& validation : worse.metrics.validations) validation.scores.set("bleu", 5);
  const std::string html = comparison_html({worse, named_run("better", 100, {})});
  EXPECT_TRUE(contains(html, "<td class=\"leads\">27.5 <small>at step 100</small></td>"));
  EXPECT_FALSE(contains(html, "<td class=\"leads\">5.0"));
  // Runs that are equally good have no leader.
  EXPECT_FALSE(contains(comparison_html({named_run("a", 100, {}), named_run("b", 100, {})}), "class=\"leads\""));
}

TEST(Comparison, ShowsTheLastTranslationOfEachRun) {
  ReportedRun early = named_run("early", 100, {});
  std::erase_if(early.metrics.validations, [](const Validation& v) { return v.step > 40; });
  const std::string html = comparison_html({early, named_run("late", 100, {})});
  EXPECT_TRUE(contains(html, "early</span></th><td dir=\"auto\"><mark>The</mark> the</td>"));
  EXPECT_TRUE(contains(html, "late</span></th><td dir=\"auto\"><mark>The</mark> <mark>house</mark>"));
}

TEST(Comparison, EscapesNamesAndSettings) {
  const std::string evil = "\"'><script>alert(1)</script>";
  const std::string html = comparison_html({named_run(evil, 10, {{evil, evil}}), named_run("b & c", 10, {{"x", "y"}})});
  EXPECT_FALSE(contains(html, "<script>alert"));
  EXPECT_FALSE(contains(html, "\"'>"));
  EXPECT_TRUE(contains(html, "b &amp; c"));
  EXPECT_EQ(count(html, "<script>"), 1);
}

TEST(Comparison, OfEightLongRunsStaysUnderAMegabyte) {
  std::vector<ReportedRun> runs;
  for (int i = 0; i < 8; ++i) runs.push_back(named_run("run " + std::to_string(i), 20'000, {}));
  EXPECT_LT(comparison_html(runs).size(), 1'000'000u);
}

TEST(Comparison, OfRunsWithoutRecordsIsStillAPage) {
  const std::string html =
      comparison_html({{.name = "a", .metrics = {}, .facts = {}}, {.name = "b", .metrics = {}, .facts = {}}});
  EXPECT_TRUE(contains(html, "Nothing recorded yet."));
  EXPECT_FALSE(contains(html, "nan"));
}

}  // namespace
}  // namespace dragoman::train
