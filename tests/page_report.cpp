// The reports of training runs in a browser: several runs in one page, and the page of a run that is under way.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "dragoman/base/files.h"
#include "dragoman/train/report/comparison.h"
#include "dragoman/train/report/testing.h"
#include "tests/page.h"

namespace dragoman {
namespace {

std::string running_page(std::int64_t step, double written) {
  return train::report_html(train::run_of(step), {.title = "en to de",
                                                  .settings = {{"seed", "1"}},
                                                  .status = {.text = fmt::format("Training: step {} of 100.", step),
                                                             .is_running = true,
                                                             .written = written,
                                                             .seconds_until = 0.1}});
}

std::string ended_page(std::int64_t step) {
  return train::report_html(
      train::run_of(step),
      {.title = "en to de", .settings = {{"seed", "1"}}, .status = {.text = "Finished: all 100 steps."}});
}

class ReportPageTest : public PageTest {
 protected:
  // Opens a page that is no attention page, under a new name: a page remembers what it has seen under its name.
  static void open_report(const std::string& html) {
    static int opened = 0;
    path_ = file(fmt::format("report{}.html", ++opened));
    write_report(html);
    browser().open("file://" + path_);
    browser().wait_for("document.querySelector('.chart svg')");
  }
  // Replaces the page that is open, as a run does.
  static void write_report(const std::string& html) { replace_file(path_, html); }
  static void wait_for_status(const std::string& text) {
    browser().wait_for("document.querySelector('#status b')?.textContent === '" + text + "'");
  }

 private:
  inline static std::string path_;
};

TEST_F(ReportPageTest, AnUntickedRunLeavesThePictures) {
  std::vector<train::ReportedRun> runs;
  for (const int steps : {40, 100}) {
    runs.push_back({.name = fmt::format("run {}", steps), .metrics = train::run_of(steps), .facts = {.title = "x"}});
  }
  open_report(train::comparison_html(runs));
  const std::string visible =
      "[...document.querySelectorAll('.chart .curve')]"
      ".filter((curve) => getComputedStyle(curve.parentNode).display !== 'none').length";
  const int all = browser().value(visible);
  EXPECT_EQ(all, browser().value("2 * document.querySelectorAll('.chart svg').length"));
  browser().click("label.r0");
  EXPECT_EQ(browser().value(visible), all / 2);
  EXPECT_FALSE(browser().value("document.querySelector('.legend .r0').checkVisibility()"));
  // The pointer at the right end, where only the longer run is.
  browser().click("label.r0");
  browser().run(R"(
      const svg = document.querySelectorAll(".chart svg")[3], frame = svg.getBoundingClientRect();
      svg.dispatchEvent(new PointerEvent("pointermove", {clientX: frame.right - 5, clientY: frame.top + 9}));)");
  EXPECT_EQ(browser().text(".readout:not([hidden]) b"), "step 100");
  EXPECT_NE(browser().text(".readout:not([hidden]) .r0").find("(step 40)"), std::string::npos);
}

TEST_F(ReportPageTest, SeveralRunsFitAPhoneAndHaveNamesThatNeedEscaping) {
  std::vector<train::ReportedRun> runs;
  for (const char* name : {"a <b>&\"quoted\"", "b"}) {
    runs.push_back({.name = name, .metrics = train::run_of(30), .facts = {.title = "x", .settings = {{"name", name}}}});
  }
  browser().size(390, 800);
  open_report(train::comparison_html(runs));
  EXPECT_EQ(browser().text(".legend .r0"), "a <b>&\"quoted\"");
  EXPECT_LE(browser().value("document.documentElement.scrollWidth"), browser().value("innerWidth"));
}

TEST_F(ReportPageTest, ThePageOfARunUnderWayShowsNewRecordsByItself) {
  open_report(running_page(40, train::unix_time()));
  wait_for_status("Training: step 40 of 100.");
  browser().run("document.querySelector('details').open = true; scrollTo(0, 400);");
  write_report(running_page(60, train::unix_time()));
  wait_for_status("Training: step 60 of 100.");
  browser().wait_for("scrollY > 300");  // what the reader has chosen stays
  EXPECT_TRUE(browser().value("document.querySelector('details').open"));
  // When the run has ended, the page is loaded no more.
  write_report(ended_page(100));
  wait_for_status("Finished: all 100 steps.");
  EXPECT_TRUE(browser().value("document.querySelector('details').open"));
  browser().run("window.isStillThere = true;");
  write_report(running_page(60, train::unix_time()));
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_TRUE(browser().value("window.isStillThere === true"));
}

TEST_F(ReportPageTest, APageWithoutNewsSaysSinceWhen) {
  open_report(running_page(40, train::unix_time() - 1800));
  browser().wait_for("document.querySelector('#news').textContent.startsWith('Nothing new since ')");
  const std::string news = browser().text("#news");
  EXPECT_NE(news.find("(30 minutes ago)"), std::string::npos) << news;
  EXPECT_NE(news.find("This page looks again every 3 minutes."), std::string::npos) << news;
  // After a day it stops to look.
  open_report(running_page(40, train::unix_time() - 90'000));
  browser().wait_for("document.querySelector('#news').textContent.includes('no longer looks')");
}

TEST_F(ReportPageTest, AReaderCanStopToFollow) {
  open_report(running_page(40, train::unix_time()));
  browser().click("#status input");
  browser().run("window.isStillThere = true;");
  write_report(running_page(60, train::unix_time()));
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_TRUE(browser().value("window.isStillThere === true"));
  browser().click("#status input");
  wait_for_status("Training: step 60 of 100.");
}

}  // namespace
}  // namespace dragoman
