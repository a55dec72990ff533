// Tests of the attention page as a newcomer meets it: the first lines, examples, the tour, a phone, and places where
// there must be a way on.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <utility>

#include "dragoman/serve/testing.h"
#include "tests/page.h"

namespace dragoman {
namespace {

// Clicks the first visible button with this text.
void click_button(Browser& browser, const std::string& text) {
  browser.run(
      "[...document.querySelectorAll('button')].find((button) => button.checkVisibility() && "
      "button.textContent === arguments[0]).click();",
      Json::array({text}));
}

// Opens the page as on a first visit.
constexpr const char* kFirstVisit = "localStorage.removeItem('dragoman-visited');";

TEST_F(PageTest, TheFirstLinesSayWhatToDo) {
  open("");
  EXPECT_EQ(browser().text(".front-text"),
            "See how a Transformer translates: type a sentence or choose an example, then open the tabs to see what it "
            "looked at for each word.");
  for (const std::string& view : views()) {
    show(view);
    EXPECT_GT(browser().text(".view-about").size(), 20u) << view;
  }
}

TEST_F(PageTest, ExamplesAreAlwaysAtHand) {
  open(kState);
  EXPECT_EQ(browser().text(".example"), "one two three");  // the sentence of the film
  for (const std::string& view : views()) {
    show(view);
    EXPECT_TRUE(browser().value("document.querySelector('.example').checkVisibility()")) << view;
  }
  browser().click(".example");
  wait_until_shown(
      "document.querySelector('#sentence').value === 'one two three' && !document.querySelector('.stale')");
  EXPECT_EQ(browser().text("#translation"), translated({{"q", "one two three"}})["text"].get<std::string>());

  const EditedServer server(browser(),
                            "const names = {}; const edit = {examples: () => []};" + std::string(kEditAnswers));
  open(kState);
  EXPECT_GT(browser().value("document.querySelectorAll('.example').length"), 1);  // sentences of the language
}

TEST_F(PageTest, TheTourIsOfferedUntilItIsTakenOrDeclined) {
  const std::string offered = "document.querySelector('#take-tour').checkVisibility()";
  for (const std::string answer : {"Not now", "Take the tour"}) {
    SCOPED_TRACE(answer);
    open(kState);
    browser().run(kFirstVisit);
    open(kState);
    EXPECT_TRUE(browser().value(offered));
    click_button(browser(), answer);
    browser().wait_for("!" + offered);
    EXPECT_EQ(browser().value("document.querySelector('#tour').open"), answer == "Take the tour");
    open(kState);
    EXPECT_FALSE(browser().value(offered));
  }
}

TEST_F(PageTest, TheTourCoversNothing) {
  for (const auto& [width, height] : {std::pair(1280, 900), std::pair(800, 900), std::pair(390, 844)}) {
    browser().size(width, height);
    open(kState);
    browser().click("#tour-button");
    for (int step = 0; browser().value("document.querySelector('#tour').open"); ++step) {
      SCOPED_TRACE(std::to_string(width) + ": " + browser().text("#tour-title"));
      ASSERT_LT(step, 30);
      browser().wait_for("document.querySelector('.tour-here')");
      const Json boxes = browser().run(R"(
          const box = (name) => document.querySelector(name).getBoundingClientRect();
          const [panel, page, here, next] = [box("#tour"), box("#page"), box(".tour-here"), box("#tour .main")];
          const overlap = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
            Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
          const seen = overlap(here, {left: page.left, right: page.right, top: Math.max(0, page.top),
                                      bottom: Math.min(innerHeight, page.bottom)});
          return {covered: overlap(panel, page), seen, next: next.bottom <= innerHeight && next.right <= innerWidth};)");
      EXPECT_EQ(boxes["covered"], 0);
      EXPECT_GT(boxes["seen"], 20000);  // pixels of what is explained
      EXPECT_TRUE(boxes["next"]);
      browser().run("document.querySelector('#tour .main').click();");
      wait_until_shown();
    }
  }
}

TEST_F(PageTest, TheTourBeginsWithTheFilm) {
  open(kState);
  browser().click("#tour-button");
  browser().wait_for("document.querySelector('.film-picture.tour-here')");
  EXPECT_EQ(browser().text("#tour-title"), "First, how the model learned");
  EXPECT_EQ(browser().text(".play-button"), "Pause");  // it plays
  browser().wait_for("document.querySelector('#tour-text').textContent.includes('after 20 steps')");
  EXPECT_NE(browser().text("#tour-text").find("after 10 steps"), std::string::npos);
}

TEST_F(PageTest, TheTourSpeaksOfContentWords) {
  const std::set<std::string> content{"three", "eight", "seven", "four", "nine", "five"};  // not "one", "two", "six"
  open(kState);
  browser().click("#tour-button");
  int pairs = 0;
  while (browser().value("document.querySelector('#tour').open")) {
    browser().wait_for("document.querySelector('.tour-here')");
    wait_until_shown();
    const std::string title = browser().text("#tour-title");
    if (title == "Every word looks at every other" || title == "Looking at the source") {
      const std::string word = browser().text(".token.pinned");
      EXPECT_TRUE(content.contains(word)) << title << ": " << word;
      EXPECT_NE(browser().text("#tour-text").find("“" + word + "”"), std::string::npos) << browser().text("#tour-text");
      ++pairs;
    }
    if (title == "How a weight is computed") {
      browser().wait_for("document.querySelector('.why-token')");
      for (const std::string word :
           browser().value("[...document.querySelectorAll('.why-token')].map(({textContent}) => textContent)")) {
        EXPECT_TRUE(content.contains(word)) << word;
      }
      ++pairs;
    }
    browser().run("document.querySelector('#tour .main').click();");
  }
  EXPECT_EQ(pairs, 3);
  EXPECT_EQ(browser().value("document.querySelectorAll('.token.pinned').length"), 0);
}

TEST_F(PageTest, AllTabsCanBeTappedOnAPhone) {
  for (const int width : {390, 360}) {
    browser().size(width, 740);
    open(kState);
    for (const std::string& view : views()) {
      const Json tapped = browser().run(R"(
          const tab = document.querySelector(`[data-tab=${arguments[0]}]`);
          tab.scrollIntoView({block: "center", inline: "nearest"});
          const {left, right, top, height} = tab.getBoundingClientRect();
          return [document.elementFromPoint((left + right) / 2, top + height / 2) === tab,
                  left >= 0 && right <= innerWidth, height];)",
                                        Json::array({view}));
      EXPECT_TRUE(tapped[0]) << view;
      EXPECT_TRUE(tapped[1]) << view;
      EXPECT_GE(tapped[2], 24) << view;
    }
  }
}

TEST_F(PageTest, AGreedySearchOffersABeamSearch) {
  open(kState + "&search=greedy&tab=heads");
  browser().click("[data-tab=beam]");
  browser().wait_for("document.querySelector('#view .empty')?.textContent.includes('greedy')");
  click_button(browser(), "Show a beam search");
  wait_until_shown("document.querySelector('.node.winner')");
  EXPECT_GT(browser().value("document.querySelectorAll('.tree-results tbody tr').length"), 1);
}

TEST_F(PageTest, ASampleCanBeDrawnAgain) {
  open(kState + "&tab=whatif&search=sample&temperature=3&seed=5");
  wait_until_shown("document.querySelector('.card.now .facts')");
  click_button(browser(), "Sample again");
  wait_until_shown("location.hash.includes('seed=6')");
  const Json expected = translated({{"q", kSentence}, {"search", "sample"}, {"temperature", 3}, {"seed", 6}});
  EXPECT_EQ(browser().text(".card.now .translation"), expected["text"].get<std::string>());
  show("heads");
  click_button(browser(), "Sample again");
  wait_until_shown("location.hash.includes('seed=7')");
}

TEST_F(PageTest, HiddenHeadsCanBeShownAgain) {
  open(kState);
  for (const int head : {1, 2})
    browser().click("[aria-label='Heads shown'] button:nth-child(" + std::to_string(head) + ")");
  browser().wait_for("document.querySelector('.heads-picture .note').textContent.includes('All heads are hidden')");
  click_button(browser(), "Show all heads");
  browser().wait_for("document.querySelectorAll('.stats tbody tr').length === 2");
}

TEST_F(PageTest, AnOfflineFileShowsTheChangesThatItHolds) {
  open(kState + "&tab=whatif&off=c1.1");
  wait_until_shown("document.querySelector('.card.now .facts span')");
  const std::string changed = browser().text(".card.now .facts:has(span)");
  const std::string path = file("dragoman.html");
  std::filesystem::remove(path);
  browser().click("#export");
  browser().run(
      "[...document.querySelectorAll('#export-panel button')]"
      ".find((button) => button.textContent.startsWith('Offline page')).click();");
  ASSERT_TRUE(serve::eventually([&] { return std::filesystem::exists(path) && std::filesystem::file_size(path) > 0; }));
  browser().network(false);
  open_file(path, "tab=heads");
  browser().click("[data-tab=whatif]");
  const std::string shown = "document.querySelector('.card.now .facts span')";
  browser().wait_for(shown);
  EXPECT_EQ(browser().text(".card.now .facts:has(span)"), changed);
  EXPECT_NE(browser().text("#view .empty").find("dragoman serve --model"), std::string::npos);
  click_button(browser(), "Original");
  browser().wait_for("!" + shown);
  click_button(browser(), "With switched off: cross 1.1");
  browser().wait_for(shown);
  EXPECT_EQ(browser().text(".card.now .facts:has(span)"), changed);
}

}  // namespace
}  // namespace dragoman
