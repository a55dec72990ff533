// Tests of what the attention page says about an answer: that it is old, late or missing, that something seems wrong
// with it, and what the model does not know.
#include <gtest/gtest.h>

#include <utility>

#include "tests/page.h"

namespace dragoman {
namespace {

// For EditedServer: the server answers translations after `lag` milliseconds, and does not answer at all if it is
// `down`.
constexpr const char* kFaultyServer = R"(
  window.lag = 0;
  window.down = false;
  const ask = window.fetch;
  window.fetch = async (path, options = {}) => {
    if (window.down) throw new TypeError("no connection");
    if (window.lag && path.startsWith("/v1/translate")) {
      await new Promise((done, fail) => {
        setTimeout(done, window.lag);
        options.signal?.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
      });
    }
    return ask(path, options);
  };)";

// Notes when the request begins and when the spinner appears.
constexpr const char* kWatchSpinner = R"(
  window.seen = {};
  requestAnimationFrame(function look(now) {
    if (document.querySelector("#translation.busy")) window.seen.busy ??= now;
    if (document.querySelector(".facts .spinner")) window.seen.spinner ??= now;
    requestAnimationFrame(look);
  });)";

bool is_visible(Browser& browser, const std::string& selector) {
  return browser.run("return document.querySelector(arguments[0])?.checkVisibility() ?? false;",
                     Json::array({selector}));
}

// How often a sentence is on the page.
int times_said(Browser& browser, const std::string& sentence) {
  return browser.run("return document.body.innerText.split(arguments[0]).length - 1;", Json::array({sentence}));
}

std::vector<std::string> marked(Browser& browser) {
  return browser.value("[...document.querySelectorAll('.marked-copy mark')].map(({textContent}) => textContent)");
}

const std::string kShort = "one two three";
const std::string kShortState = "q=one+two+three";

TEST_F(PageTest, AnOldTranslationIsGreyUntilTheNewOneArrives) {
  const EditedServer server(browser(), kFaultyServer);
  open(kShortState);
  EXPECT_NE(browser().text(".facts"), "");
  browser().run(std::string("window.lag = 900;") + kWatchSpinner);
  browser().type("#sentence", kSentence);
  browser().wait_for("document.querySelector('.output.stale #translation.busy')");
  EXPECT_TRUE(browser().value("document.querySelector('#translation').inert"));
  EXPECT_LT(browser().value("Number(getComputedStyle(document.querySelector('#translation')).opacity)"), 0.6);
  EXPECT_TRUE(browser().value("document.querySelector('#view').classList.contains('stale')"));
  EXPECT_EQ(browser().text(".facts").find("score"), std::string::npos);  // not the old one beside the new sentence
  EXPECT_FALSE(is_visible(browser(), ".best"));
  wait_until_shown("!document.querySelector('.stale')");
  EXPECT_EQ(browser().text("#translation"), translated({{"q", kSentence}})["text"].get<std::string>());
  EXPECT_NE(browser().text(".facts").find("score"), std::string::npos);
  EXPECT_GE(browser().value("window.seen.spinner - window.seen.busy"), 280);  // 300 ms but for a frame
  EXPECT_FALSE(is_visible(browser(), ".spinner"));
}

TEST_F(PageTest, ASlowModelTranslatesOnEnterAndSaysSo) {
  const EditedServer server(browser(), kFaultyServer);
  open(kShortState);
  for (const bool by_key : {true, false}) {
    browser().run("window.lag = 1600;");
    browser().type("#sentence", kSentence);
    wait_until_shown("!document.querySelector('.stale')");
    browser().run("window.lag = 0;");
    EXPECT_FALSE(is_visible(browser(), ".prompt"));
    browser().type("#sentence", kShort);
    browser().wait_for("document.querySelector('.prompt').checkVisibility()");
    EXPECT_TRUE(browser().text(".prompt").starts_with("Press Enter to translate"));
    EXPECT_TRUE(browser().value("document.querySelector('#translation').inert"));
    EXPECT_EQ(browser().text("#translation"), translated({{"q", kSentence}})["text"].get<std::string>());
    EXPECT_EQ(browser().text(".facts"), "");
    by_key ? browser().press({Key::kEnter}) : browser().click(".prompt button");
    wait_until_shown("!document.querySelector('.stale')");
    EXPECT_EQ(browser().text("#translation"), translated({{"q", kShort}})["text"].get<std::string>());
    EXPECT_FALSE(is_visible(browser(), ".prompt"));
  }
}

TEST_F(PageTest, WhatFailedCanBeTriedAgain) {
  const EditedServer server(browser(), kFaultyServer);
  open(kShortState);
  browser().run("window.down = true;");
  browser().type("#sentence", kSentence);
  browser().wait_for("document.querySelector('.output .failure').checkVisibility()");
  EXPECT_EQ(times_said(browser(), "The server does not answer."), 1);
  EXPECT_EQ(browser().text("#translation"), "");
  EXPECT_NE(browser().text("#view .empty").find("the request failed"), std::string::npos);
  browser().run("window.down = false;");
  browser().click(".output .failure button");
  wait_until_shown("document.querySelector('#translation').textContent");
  EXPECT_EQ(browser().text("#translation"), translated({{"q", kSentence}})["text"].get<std::string>());
  EXPECT_FALSE(is_visible(browser(), ".failure"));
}

TEST_F(PageTest, ViewsThatFetchTheirOwnDataCanTryAgain) {
  const EditedServer server(browser(), kFaultyServer);
  open(kState);
  browser().run("window.down = true;");
  for (const std::string view : {"film", "positions", "why"}) {
    SCOPED_TRACE(view);
    browser().click("[data-tab=" + view + "]");
    browser().wait_for("document.querySelector('#view .failure')?.checkVisibility()");
    EXPECT_EQ(times_said(browser(), "The server does not answer."), 1);
  }
  browser().run("window.down = false;");
  browser().click("#view .failure button");
  wait_until_shown("document.querySelector('.why .sums')");
  for (const auto& [view, shown] : {std::pair("film", ".film-frame"), std::pair("positions", ".heat")}) {
    show(view);
    wait_until_shown("document.querySelector('" + std::string(shown) + "')?.checkVisibility()");
    EXPECT_FALSE(is_visible(browser(), "#view .failure")) << view;
  }
}

TEST_F(PageTest, WarningsOfTheServerAreSentences) {
  const auto warnings = [] {
    return browser().value("[...document.querySelectorAll('.side .warnings li')].map(({dataset}) => dataset.warning)");
  };
  {
    const EditedServer server(browser(), R"(
        const names = {};
        const edit = {sentences: (list) => list.map((sentence) => (
          {...sentence, finished: false, repeats: true, odd_length: true, flags: ["repeats", "unknown", "sour"]}))};)" +
                                             std::string(kEditAnswers));
    open(kState);
    EXPECT_EQ(warnings(), Json({"repeats", "unknown", "sour", "limit", "length"}));
    const std::string text = browser().text(".warnings");
    for (const char* part : {"cut off at the length limit", "repeats itself", "unusually short or long",
                             "the model's vocabulary lacks", "“sour”"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  }
  open(kState);
  const Json sentence = translated({{"q", kSentence}});
  Json expected = Json::array();
  if (!sentence["finished"]) expected.push_back("limit");
  if (sentence["repeats"]) expected.push_back("repeats");
  if (sentence["odd_length"]) expected.push_back("length");
  EXPECT_EQ(warnings(), expected);
}

TEST_F(PageTest, AnEmptyTranslationIsSaidToBeEmpty) {
  open(kState);
  EXPECT_FALSE(is_visible(browser(), ".output .note"));
  browser().type("#sentence", kOther);
  browser().wait_for("document.querySelector('.output .note').checkVisibility()");
  EXPECT_EQ(browser().text("#translation"), translated({{"q", kOther}})["text"].get<std::string>());
  EXPECT_EQ(browser().text("#translation"), "");
  EXPECT_EQ(browser().text(".output .note"), "The model wrote nothing: it ended the sentence at once.");
}

TEST_F(PageTest, PartsThatTheVocabularyLacksAreMarked) {
  open(kState);
  EXPECT_EQ(marked(browser()), std::vector<std::string>());
  EXPECT_FALSE(is_visible(browser(), ".unknown-note"));
  browser().type("#sentence", "two ten  six eleven");
  browser().wait_for("document.querySelectorAll('.keys .token').length === 5");  // with </s>
  EXPECT_EQ(marked(browser()), (std::vector<std::string>{"ten", "eleven"}));
  EXPECT_EQ(browser().text(".unknown-note"),
            "The model's vocabulary lacks “ten” and “eleven”: it reads <unk> in its place.");
  // The mark is under the word: a word of three letters after one of three letters and a space, in one line.
  EXPECT_TRUE(browser().run(R"(
      const [field, mark] = ["#sentence", ".marked-copy mark"].map((name) => (
        document.querySelector(name).getBoundingClientRect()));
      return mark.left > field.left + 1.3 * mark.width && mark.left < field.left + 3 * mark.width &&
        mark.top > field.top && mark.bottom < field.top + 45;)"));
  browser().type("#sentence", "two six");
  browser().wait_for("document.querySelectorAll('.keys .token').length === 3");
  EXPECT_EQ(marked(browser()), std::vector<std::string>());
  EXPECT_FALSE(is_visible(browser(), ".unknown-note"));
}

TEST_F(PageTest, AModelOfFewWordsSaysWhichOnesItKnows) {
  open(kState);
  EXPECT_EQ(browser().text("#known-words"), "This model knows 9 words");
  EXPECT_FALSE(is_visible(browser(), "#word-list"));
  browser().click("#known-words");
  browser().wait_for("document.querySelector('#word-list').checkVisibility()");
  EXPECT_EQ(browser().text("#word-list"), "eight, five, four, nine, one, seven, six, three, two");

  const EditedServer server(browser(), "const names = {}; const edit = {unseen: () => ['two', 'three', 'eigh']};" +
                                           std::string(kEditAnswers));
  open("q=three+eight+two+ten+three");
  browser().wait_for("document.querySelector('.unknown-note').checkVisibility()");
  EXPECT_EQ(marked(browser()), (std::vector<std::string>{"three", "two", "ten", "three"}));
  EXPECT_EQ(browser().text(".unknown-note"),
            "The model's vocabulary lacks “ten”: it reads <unk> in its place. The model never saw “two” and “three” in "
            "training: it can only guess.");
}

}  // namespace
}  // namespace dragoman
