// dragoman report as its user sees it, and the page that training writes while it runs.
#include <gtest/gtest.h>

#include <filesystem>

#include "dragoman/base/files.h"
#include "tests/training.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

class ReportCli : public TrainingTest {
 protected:
  void make_run(const std::string& name, const std::string& more) const {
    const Ending ending = run(train(name, more));
    ASSERT_EQ(ending.status, 0) << ending.err;
  }
  std::string page(const std::string& name) const { return read_file(file(name)); }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(ReportCli, ComparesRunsByTheNamesOfTheirDirectories) {
  make_run("a/run", "--steps 8");
  make_run("b/run", "--steps 12 --label-smoothing 0.3");
  const Ending ending =
      run("report --model " + file("a/run") + " --model " + file("b/run") + " --output " + file("compare.html"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_TRUE(has(ending.err, "(2 runs); open it in a browser.")) << ending.err;
  const std::string html = page("compare.html");
  EXPECT_TRUE(has(html, "<title>a/run, b/run</title>"));
  EXPECT_TRUE(has(html, "<th scope=\"row\">label-smoothing</th><td>0.1</td><td>0.3</td>"));
  EXPECT_FALSE(has(html, "<th scope=\"row\">d-model</th>"));  // the same in both
  // One run alone is its report, with the same curves.
  const std::string alone = run("report --model " + file("a/run")).out;
  const std::string written = page("a/run/report.html");
  const auto curves = [](const std::string& text) { return text.substr(text.find("<section class=\"charts\">")); };
  EXPECT_EQ(curves(alone), curves(written));
}

TEST_F(ReportCli, RefusesWhatIsNoRun) {
  make_directory(file("empty"));
  expect_one_sentence(run("report --model " + file("none")), 1, "there is no directory");
  expect_one_sentence(run("report --model " + file("empty")), 1, "it has no metrics.jsonl");
  make_directory(file("damaged"));
  replace_file(file("damaged/metrics.jsonl"), "\xA7\x01\x9E no record");
  expect_one_sentence(run("report --model " + file("damaged")), 1,
                      "line 1 of '" + file("damaged/metrics.jsonl") + "' is not a record of a training run;");
  expect_one_sentence(run("report --model " + file("empty") + " --model " + file("empty/")), 2, "is named twice");
  std::string many;
  for (int i = 0; i < 9; ++i) many += " --model " + file("run" + std::to_string(i));
  expect_one_sentence(run("report" + many), 2, "at most 8 runs");
  expect_one_sentence(run("report"), 2, "--model");
}

TEST_F(ReportCli, TheReportSaysHowTheRunEnded) {
  make_run("run", "--steps 8");
  EXPECT_TRUE(has(page("run/report.html"), "Finished: all 8 steps."));
  make_run("run", "--steps 100000 --minutes 0.001");
  EXPECT_TRUE(has(page("run/report.html"), ": the time limit is reached."));
  EXPECT_FALSE(has(page("run/report.html"), "data-written"));
  // A run that fails says why.
  const Ending failed = run(train("wild", "--steps 300 --rate-constant 1e30"));
  EXPECT_EQ(failed.status, 1);
  const std::string html = page("wild/report.html");
  EXPECT_TRUE(has(html, "class=\"ended\"><b>Failed at step ")) << failed.err;
  EXPECT_TRUE(has(html, ": training diverged: "));
}

TEST_F(ReportCli, ARunThatIsKilledLeavesAPageThatStillWaitsForNews) {
  Child child(train("killed", "--steps 1000000"));
  ASSERT_TRUE(child.wait_until([&] { return fs::exists(file("killed/report.html")); }));
  child.kill();
  const std::string html = page("killed/report.html");
  EXPECT_TRUE(has(html, "data-written=\""));
  EXPECT_TRUE(html.ends_with("</html>\n"));
}

}  // namespace
}  // namespace dragoman
