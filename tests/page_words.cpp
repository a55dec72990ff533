// Tests of tokens and numbers that must mean the same in every view of the attention page: pins, bars, labels of
// pieces, equal translations, and the limits of settings.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/page.h"

namespace dragoman {
namespace {

// The pinned token: its text and its place in its list.
Json pinned(Browser& browser) {
  return browser.value(
      "[...document.querySelectorAll('.token.pinned')].map(({textContent, dataset}) => [textContent, dataset.i])");
}

// Replaces the number in the field "Beam width", as if it were typed.
void set_beam(Browser& browser, const std::string& number) {
  browser.run(
      "const label = [...document.querySelectorAll('label')].find(({textContent}) => "
      "textContent.startsWith('Beam width')); const input = label.querySelector('input'); input.focus(); "
      "input.value = arguments[0]; input.dispatchEvent(new Event('input'));",
      Json::array({number}));
}

TEST_F(PageTest, APinStaysOnItsWordWhenTheSentenceChanges) {
  open("q=one+two+three+four&attention=encoder&query=3");
  EXPECT_EQ(pinned(browser()), Json::array({{"three", "2"}}));
  browser().type("#sentence", "nine one two three four");
  browser().wait_for("document.querySelectorAll('.keys .token').length === 6");
  EXPECT_EQ(pinned(browser()), Json::array({{"three", "3"}}));
  browser().wait_for("location.hash.includes('query=4')");  // a link shows the same word
  browser().type("#sentence", "three one two");             // the word has moved
  browser().wait_for("document.querySelectorAll('.keys .token').length === 4");
  EXPECT_EQ(pinned(browser()), Json::array({{"three", "0"}}));
  browser().type("#sentence", "nine one two");
  browser().wait_for("document.querySelector('.keys .token').textContent === 'nine'");
  EXPECT_EQ(pinned(browser()), Json::array());
}

TEST_F(PageTest, APinStaysOnItsWordWhenTheTranslationChanges) {
  const Json plain = translated({{"q", kSentence}, {"trace", true}});
  const std::string first = plain["text"].get<std::string>().substr(0, plain["text"].get<std::string>().find(' '));
  open(kState + "&attention=cross&prefix=nine+" + first);
  wait_until_shown("document.querySelector('.queries .token').textContent === 'nine'");
  browser().click(".queries .token:nth-child(2)");
  browser().wait_for("document.querySelector('.token.pinned')?.dataset.i === '1'");
  EXPECT_EQ(pinned(browser()), Json::array({{first, "1"}}));
  browser().click("input[data-value=plain] + span");
  browser().wait_for("document.querySelector('.queries .token').textContent !== 'nine'");
  EXPECT_EQ(pinned(browser()), Json::array({{first, "0"}}));
  browser().click("input[data-value=changed] + span");
  browser().wait_for("document.querySelector('.queries .token').textContent === 'nine'");
  EXPECT_EQ(pinned(browser()), Json::array({{first, "1"}}));

  // "What if" shows both translations: the word has another row in each.
  show("whatif");
  browser().wait_for("document.querySelectorAll('.trio .down .pointed').length === 3");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.trio .down')].map((labels) => "
                            "[...labels.children].findIndex((label) => label.matches('.pointed')))"),
            Json({0, 1, 1}));
}

TEST_F(PageTest, AFullBarIsTheWeightOne) {
  // Each bar's share of its track, and the number beside it.
  const auto expect_absolute = [](const std::string& bars, const std::string& figures) {
    const Json found = browser().run(R"(
        const [bars, figures] = [...arguments].map((selector) => [...document.querySelectorAll(selector)]);
        return bars.map((bar, i) => [bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width,
                                     parseFloat(figures[i].textContent) || 0]);)",
                                     Json::array({bars, figures}));
    ASSERT_GT(found.size(), 2u) << bars;
    for (const Json& bar : found) EXPECT_NEAR(bar[0], bar[1], 0.01) << bars << " " << found;
  };
  open(kState + "&attention=encoder&query=2&compare=three+eight+two+seven+three+one+two+six");
  expect_absolute(".reading .stack", ".reading tbody .figure");
  show("why");
  browser().wait_for("document.querySelector('.why-bar .track span')");
  expect_absolute(".why-row tbody .track span", ".why-row tbody td:nth-child(5)");
  show("compare");
  browser().wait_for("document.querySelector('.versus')");
  expect_absolute(".versus .left .level", ".versus tbody td:first-child");
  show("ranking");
  const Json entropies = browser().run(R"(
      return [...document.querySelectorAll(".ranking tbody tr")].map((row) => {
        const cell = row.children[2];
        return [parseFloat(cell.querySelector(".meter span").style.width) / 100, parseFloat(cell.textContent) || 0];
      });)");
  for (const Json& bar : entropies) EXPECT_NEAR(bar[0], bar[1].get<double>() / std::log2(9), 0.01);  // 9 source tokens
}

TEST_F(PageTest, PiecesLookTheSameInEveryView) {
  // The second piece of the translation continues the word of the first.
  const EditedServer server(browser(), R"(
      const names = {};
      const inner = (token, at) => at === 1 ? token.replace("▁", "") : token;
      const edit = {
        tgt: (tokens) => tokens.map(inner),
        beam: (steps) => steps.map((step, at) => step.map((node) => ({...node, token: inner(node.token, at)}))),
      };)" + std::string(kEditAnswers));
  open(kState + "&attention=cross");
  const Json labels =
      browser().value("[...document.querySelectorAll('.queries .token')].map(({textContent}) => textContent)");
  ASSERT_GE(labels.size(), 3u);
  EXPECT_TRUE(labels[1].get<std::string>().starts_with("·")) << labels;
  EXPECT_EQ(labels.back(), "</s>");
  show("matrix");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.down span')].map(({textContent}) => textContent)"),
            labels);
  show("why");
  EXPECT_EQ(browser().value("[...document.querySelector('.pick select').options].map(({textContent}) => "
                            "textContent.replace(/^\\d+ +/, ''))"),
            labels);
  show("beam");
  Json path = browser().value(
      "[...document.querySelectorAll('.node.winner .node-token')].map((text) => "
      "text.textContent)");
  EXPECT_EQ(path[0], "<s>");
  path.erase(0);
  EXPECT_EQ(path, labels);
}

TEST_F(PageTest, EqualTranslationsAreExplained) {
  const EditedServer server(browser(), R"(
      const names = {};
      const node = (from, token, logp, fate) => ({from, token, logp, score: logp, fate});
      const edit = {
        hypotheses: () => [[-2.5, "nine"], [-3, "nine"], [-4, "six"]].map(
          ([score, text]) => ({text, score, log_probability: score, finished: true})),
        beam: () => [
          [node(0, "▁nine", -2, "alive"), node(0, "▁ni", -2.2, "alive")],
          [node(0, "</s>", -2.5, "finished"), node(1, "ne", -2.6, "alive")],
          [node(0, "</s>", -3, "finished")],
        ],
      };)" + std::string(kEditAnswers));
  open(kState);
  browser().click(".best summary");
  EXPECT_EQ(browser().text(".best summary"), "Compare the 3 best translations");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.same-text')].map(({textContent}) => textContent)"),
            Json({"the same text as number 1, in other pieces: “ni ·ne”, not “nine”"}));
  EXPECT_NE(browser().text(".best .note").find("Different pieces can spell the same text"), std::string::npos);
}

TEST_F(PageTest, TheBeamFieldKnowsTheServersLimit) {
  open(kState + "&tab=whatif&beam=3");
  const std::string before = browser().text(".card.now .translation");
  set_beam(browser(), "33");
  const std::string sentence = "This must be a whole number from 1 to 32.";
  browser().wait_for("document.querySelector('#problem-beam').textContent");
  EXPECT_EQ(browser().text("#problem-beam"), sentence);
  EXPECT_EQ(browser().value("document.querySelector('[aria-describedby=problem-beam]').ariaInvalid"), "true");
  browser().wait_for("!document.querySelector('.busy')");
  EXPECT_EQ(browser().run("return document.body.innerText.split(arguments[0]).length - 1;", Json::array({sentence})),
            1);
  EXPECT_FALSE(browser().value("[...document.querySelectorAll('.failure')].some((note) => note.checkVisibility())"));
  EXPECT_EQ(browser().text(".card.now .translation"), before);
  set_beam(browser(), "32");
  wait_until_shown("location.hash.includes('beam=32')");
  EXPECT_EQ(browser().text("#problem-beam"), "");
  EXPECT_EQ(browser().text(".card.now .translation"),
            translated({{"q", kSentence}, {"beam", 32}})["text"].get<std::string>());

  open(kState + "&tab=whatif&beam=99");  // a link from a server with another limit
  wait_until_shown("document.querySelector('.card.now .facts')");
  EXPECT_FALSE(browser().value("[...document.querySelectorAll('.failure')].some((note) => note.checkVisibility())"));
}

TEST_F(PageTest, MeansOfStepsHaveADigitAfterThePointOnlyIfTheyNeedIt) {
  open(kState);
  EXPECT_EQ(browser().run(R"(return (async () => {
      const {meanCount} = await import("dragoman/core/format.js");
      const {text} = await import("dragoman/strings/depth.js");
      return [1, 2.34, 2.99].map((mean) => text.mean(meanCount(mean)));
    })();)"),
            Json({"1 step on average", "2.3 steps on average", "3 steps on average"}));
}

}  // namespace
}  // namespace dragoman
