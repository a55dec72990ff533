#include "dragoman/train/report/report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "dragoman/train/report/testing.h"
#include "dragoman/train/testing.h"

namespace dragoman::train {
namespace {

TEST(Report, ShowsBestFiguresAndSamples) {
  const std::string html = report_html(run_of(100), {.title = "de-en", .settings = {{"d-model", "512"}}});
  EXPECT_TRUE(contains(html, "<title>de-en</title>"));
  EXPECT_TRUE(contains(html, "Best BLEU</dt><dd>27.5<small>at step 100"));
  EXPECT_TRUE(contains(html, "<th scope=\"row\">d-model</th><td>512</td>"));
  EXPECT_TRUE(contains(html, "the model&#39;s count is 30\u00a0% of"));
  EXPECT_EQ(count(html, "<figure"), 6);
}

// The position of the first dot of the chart with this title.
double first_dot(const std::string& html, const std::string& title) {
  const std::size_t chart = html.find("<h3>" + title + "</h3>");
  return std::stod(html.substr(html.find("cx=\"", chart) + 4));
}

TEST(Report, ChartsOfValidationsBeginAtStepZeroLikeTheOthers) {
  TrainingRecords metrics = run_of(40);
  std::erase_if(metrics.validations, [](const Validation& v) { return v.step < 20; });
  const std::string html = report_html(metrics, {});
  // The first validation is in the middle of the run, so its dot is in the middle of the axis, from 54 to 388.
  EXPECT_NEAR(first_dot(html, "BLEU"), (54 + 388) / 2.0, 0.1);
  EXPECT_NEAR(first_dot(html, "Perplexity"), (54 + 388) / 2.0, 0.1);
  metrics.validations.resize(1);
  EXPECT_NEAR(first_dot(report_html(metrics, {}), "BLEU"), (54 + 388) / 2.0, 0.1);
}

TEST(Report, TellsTheLossWithLabelSmoothingFromThePlainOne) {
  TrainingRecords metrics = run_of(10);
  EXPECT_TRUE(contains(report_html(metrics, {}), "<li class=\"s0\">training, with label smoothing</li>"));
  for (ProgressRecord& record : metrics.progress) record.losses.set("loss", record.losses["nll"]);
  const std::string html = report_html(metrics, {});
  EXPECT_FALSE(contains(html, "label smoothing"));
  EXPECT_TRUE(contains(html, "<li class=\"s0\">training</li><li class=\"s1\">validation</li>"));
}

TEST(Report, ShowsATranslationOnlyWhereItChanged) {
  const std::string html = report_html(run_of(100), {});
  EXPECT_EQ(count(html, "class=\"version\""), 2);
  EXPECT_TRUE(contains(html, "<mark>The</mark> <mark>house</mark> <mark>is</mark> little."));
}

TEST(Report, LoadsNothingFromTheNetwork) {
  const std::string html = report_html(run_of(100), {});
  for (const char* way : {"src=", "href=", "url(", "@import", "fetch("}) EXPECT_FALSE(contains(html, way)) << way;
}

TEST(Report, EscapesEverythingFromTheData) {
  const std::string evil = "\"'><script>alert(1)</script>";
  TrainingRecords metrics = run_of(10);
  metrics.validations[0].samples = {{.source = evil, .reference = evil, .translation = evil}};
  const std::string html = report_html(
      metrics, {.title = evil, .model = evil, .languages = evil, .machine = evil, .settings = {{evil, evil}}});
  EXPECT_FALSE(contains(html, "<script>alert"));
  EXPECT_FALSE(contains(html, "\"'>"));
  EXPECT_EQ(count(html, "<script>"), 1);
}

TEST(Report, OfARunWithoutRecordsIsStillAPage) {
  const std::string html = report_html({}, {.title = "new"});
  EXPECT_EQ(count(html, "Nothing recorded yet."), 6);
  EXPECT_TRUE(contains(html, "nothing recorded yet"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
}

TEST(Report, OfARunThatDivergedIsStillAPage) {
  TrainingRecords metrics = run_of(20);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (ProgressRecord& record : metrics.progress) {
    record.losses = {{"loss", kNan}, {"nll", kNan}};
    record.seconds = record.tokens_per_second = kNan;
  }
  for (Validation& record : metrics.validations) record.scores.set("nll", kNan);
  const std::string html = report_html(metrics, {});
  EXPECT_FALSE(contains(html, ">nan"));
  EXPECT_FALSE(contains(html, "nan "));
}

TEST(Report, OfARunThatIsUnderWayTellsItsScriptWhenItWasWritten) {
  const ReportFacts running{
      .title = "new",
      .status = {.text = "Training: step 3 of 10.", .is_running = true, .written = 60, .seconds_until = 15}};
  const std::string page = report_html({}, running);
  EXPECT_TRUE(contains(page, "data-written=\"60.000\" data-seconds=\"15.000\"><b>Training: step 3 of 10.</b>"));
  EXPECT_TRUE(contains(page, "Written at 1970-01-01 00:01:00 UTC."));  // for readers without JavaScript
}

TEST(Report, OfARunThatHasEndedDoesNotLoadItselfAgain) {
  const std::string page = report_html({}, {.title = "old", .status = {.text = "Failed: <disk>", .written = 60}});
  EXPECT_TRUE(contains(page, "<div id=\"status\" class=\"ended\"><b>Failed: &lt;disk&gt;</b></div>"));
  EXPECT_FALSE(contains(page, "data-written"));
  EXPECT_FALSE(contains(report_html({}, {.title = "stored"}), "id=\"status\""));
}

TEST(Report, OfALongRunStaysUnderAMegabyte) {
  TrainingRecords metrics = run_of(50'000);
  const Validation validation = metrics.validations[0];
  for (int i = 0; i < 1'000; ++i) {
    metrics.validations.push_back(validation);
    metrics.validations.back().samples.clear();
    for (int sentence = 0; sentence < 50; ++sentence) {
      const std::string source(400, static_cast<char>('!' + sentence));
      metrics.validations.back().samples.push_back({source, source, source + std::to_string(i)});
    }
  }
  EXPECT_LT(report_html(metrics, {}).size(), 1'000'000u);
}

}  // namespace
}  // namespace dragoman::train
