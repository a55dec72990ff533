// Tests of the attention page in use: a sentence, its heads, "What if" and "Compare", by mouse and by keyboard.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/page.h"

namespace dragoman {
namespace {

const std::string kSquares = "[aria-label=\"Heads shown\"] button";
std::string square(int head) { return kSquares + ":nth-child(" + std::to_string(head) + ")"; }
std::string query(int i) { return ".queries .token:nth-child(" + std::to_string(i) + ")"; }

// The picture of the lines, to compare two states of the page.
std::string lines(Browser& browser) {
  return browser.value("document.querySelector('.picture canvas').toDataURL()").get<std::string>();
}

// Expects a digit for each head: "10" means that only the first of two heads is shown. The table beside the picture has
// a row for each head that is shown.
void expect_heads(Browser& browser, const std::string& pressed) {
  browser.wait_for("true");  // for one frame, in which the page draws
  EXPECT_EQ(browser.run("return [...document.querySelectorAll(arguments[0])].map((square) => "
                        "Number(square.getAttribute('aria-pressed') === 'true')).join('');",
                        Json::array({kSquares})),
            pressed);
  EXPECT_EQ(browser.value("document.querySelectorAll('.stats tbody tr').length"),
            std::count(pressed.begin(), pressed.end(), '1'));
}

// Expects that the changed translation has the text and the scores of `expected`.
void expect_changed(Browser& browser, const Json& expected) {
  EXPECT_EQ(browser.text(".card.now .translation"), expected["text"].get<std::string>());
  const std::string facts = browser.text(".card.now .facts");
  EXPECT_NE(facts.find("score " + shown(expected["score"])), std::string::npos) << facts;
  EXPECT_NE(facts.find("log p " + shown(expected["log_probability"])), std::string::npos) << facts;
}

TEST_F(PageTest, ASentenceGivesItsTranslationAndAPicture) {
  open("");
  browser().type("#sentence", kSentence);
  wait_until_shown("document.querySelectorAll('.keys .token').length === 9");  // with </s>
  const Json expected = translated({{"q", kSentence}});
  EXPECT_EQ(browser().text("#translation"), expected["text"].get<std::string>());
  const std::string facts = browser().text(".facts");
  EXPECT_NE(facts.find("score " + shown(expected["score"])), std::string::npos) << facts;
  EXPECT_NE(facts.find("log p " + shown(expected["log_probability"])), std::string::npos) << facts;
  EXPECT_TRUE(browser().run(R"(
      const canvas = document.querySelector(".picture canvas");
      return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0);)"));
}

TEST_F(PageTest, TheBestTranslationsAreThoseOfTheServer) {
  open(kState);
  browser().click(".best summary");
  const Json expected = translated({{"q", kSentence}, {"n_best", 4}})["hypotheses"];
  ASSERT_EQ(browser().value("document.querySelectorAll('.best tbody tr').length"), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string row = ".best tbody tr:nth-child(" + std::to_string(i + 1) + ") td";
    EXPECT_EQ(browser().text(row + ":nth-child(2)"), expected[i]["text"].get<std::string>());
    EXPECT_EQ(browser().text(row + ":nth-child(3)"), shown(expected[i]["score"]));
  }
}

TEST_F(PageTest, AClickTogglesAHeadAndADoubleClickShowsItAlone) {
  open(kState);
  expect_heads(browser(), "11");
  const std::string both = lines(browser());
  browser().click(square(1));
  expect_heads(browser(), "01");
  EXPECT_NE(lines(browser()), both);
  browser().click(square(1));
  expect_heads(browser(), "11");
  browser().click(square(1), 2);
  expect_heads(browser(), "10");
  browser().click(square(1), 2);
  expect_heads(browser(), "11");
}

TEST_F(PageTest, ATokenThatIsPointedAtShowsOnlyItsLines) {
  open(kState);
  const std::string all = lines(browser());
  browser().point_at(query(2));
  browser().wait_for("document.querySelector('.reading h3').textContent.endsWith('looks at')");
  EXPECT_EQ(browser().value("document.querySelector('.pointed').dataset.i"), "1");
  EXPECT_EQ(browser().text(".reading h3"), "“" + browser().text(query(2)) + "” looks at");
  EXPECT_NE(lines(browser()), all);
  browser().point_at("h1");
  browser().wait_for("!document.querySelector('.pointed')");
  EXPECT_EQ(lines(browser()), all);
}

TEST_F(PageTest, APinnedTokenKeepsItsLinesWhenThePointerIsGone) {
  open(kState);
  const std::string all = lines(browser());
  browser().click(query(2));
  browser().point_at("h1");
  browser().run("document.activeElement.blur();");
  browser().wait_for("document.querySelector('.pinned') && !document.querySelector('.pointed')");
  EXPECT_EQ(browser().value("document.querySelector('[aria-selected=true][role=option]').dataset.i"), "1");
  EXPECT_NE(lines(browser()), all);
  browser().click(query(2));
  browser().wait_for("!document.querySelector('.pinned')");
}

TEST_F(PageTest, TheKeyboardDoesWhatTheMouseDoes) {
  open(kState);
  browser().focus(query(1));
  browser().press({Key::kDown});
  browser().wait_for("document.querySelector('.pointed')?.dataset.i === '1'");
  browser().press({Key::kEnter});
  browser().wait_for("document.querySelector('.pinned')?.dataset.i === '1'");
  browser().press({Key::kRight});
  browser().wait_for("document.querySelector('.keys .pointed')?.dataset.i === '1'");
  browser().press({Key::kLeft});
  browser().press({Key::kEscape});
  browser().wait_for("!document.querySelector('.pinned')");
  browser().run("document.activeElement.blur();");

  browser().focus(square(1));
  browser().press({Key::kRight});
  browser().press({Key::kEnter});
  expect_heads(browser(), "10");
  browser().press({Key::kShift, Key::kEnter});
  expect_heads(browser(), "01");

  browser().focus("[data-tab=heads]");
  browser().press({Key::kRight});
  browser().wait_for("document.querySelector('#view').dataset.view === 'grid'");
  browser().press({Key::kEnd});
  browser().wait_for("document.querySelector('#view').dataset.view === 'film'");
}

TEST_F(PageTest, AHeadThatIsSwitchedOffChangesTheScoresAsTheServerSays) {
  open(kState + "&tab=whatif");
  const Json plain = translated({{"q", kSentence}});
  for (int layer = 1; layer <= 2; ++layer) {
    for (int head = 1; head <= 2; ++head) {
      const std::string which = "layer " + std::to_string(layer) + ", head " + std::to_string(head);
      SCOPED_TRACE(which);
      const std::string button = ".board.wide [aria-label^='Cross'][aria-label*='" + which + ":']";
      browser().click(button);
      wait_until_shown("document.querySelector('.card.now .facts')");
      const Json off{{"attention", "cross"}, {"layer", layer}, {"head", head}};
      const Json expected = translated({{"q", kSentence}, {"heads_off", Json::array({off})}});
      EXPECT_NE(expected["log_probability"], plain["log_probability"]);
      expect_changed(browser(), expected);
      browser().click(button);
      browser().wait_for("!document.querySelector('.card.now .facts')");
    }
  }
  EXPECT_EQ(browser().text(".card .translation"), plain["text"].get<std::string>());
  EXPECT_EQ(browser().text("#translation"), plain["text"].get<std::string>());
}

TEST_F(PageTest, ATranslationBeginsWithTheForcedWords) {
  open(kState + "&tab=whatif");
  browser().run(R"(
      const labels = [...document.querySelectorAll("label")];
      const label = labels.find(({textContent}) => textContent.startsWith("The translation begins with"));
      label.querySelector("input").id = "begin";)");
  browser().type("#begin", "nine eight");
  wait_until_shown("document.querySelector('.card.now .translation')?.textContent.startsWith('nine eight')");
  expect_changed(browser(), translated({{"q", kSentence}, {"prefix", "nine eight"}}));
  EXPECT_EQ(browser().text("#translation"), translated({{"q", kSentence}})["text"].get<std::string>());
}

TEST_F(PageTest, AnotherSearchChangesTheTranslationAsTheServerSays) {
  open(kState + "&tab=whatif&search=sample&temperature=2&seed=5");
  wait_until_shown("document.querySelector('.card.now .facts')");
  expect_changed(browser(), translated({{"q", kSentence}, {"search", "sample"}, {"temperature", 2}, {"seed", 5}}));
  open(kState + "&tab=whatif&beam=1&alpha=0");
  wait_until_shown("document.querySelector('.card.now .facts')");
  expect_changed(browser(), translated({{"q", kSentence}, {"beam", 1}, {"alpha", 0}}));
}

TEST_F(PageTest, TwoSentencesStandSideBySide) {
  open(kState + "&tab=compare&attention=encoder");
  browser().type("#second", kOther);
  wait_until_shown("document.querySelectorAll('.compare-columns .queries .token').length === 18");
  EXPECT_EQ(browser().text(".compare .translation"), translated({{"q", kOther}})["text"].get<std::string>());
  browser().point_at(".compare-columns " + query(2));
  browser().wait_for("document.querySelector('.versus')");
  EXPECT_EQ(browser().text(".compare section h3"), "“eight” looks at");
}

TEST_F(PageTest, TheTourNamesThePaperAndExistingFiles) {
  open(kState);
  browser().click("#tour-button");
  int steps = 0;
  for (; browser().value("document.querySelector('#tour').open") && steps < 30; ++steps) {
    SCOPED_TRACE(browser().text("#tour"));
    EXPECT_NE(browser().text(".tour-source").find("of the paper"), std::string::npos);
    for (const std::string file :
         browser().value("[...document.querySelectorAll('#tour code')].map((code) => code.textContent)")) {
      EXPECT_TRUE(std::filesystem::exists(std::string(DRAGOMAN_SOURCE_DIR) + "/" + file)) << file;
    }
    browser().wait_for("document.querySelector('.tour-here')");
    browser().click("#tour .main");
    wait_until_shown();
  }
  EXPECT_NEAR(steps, 11, 3);
}

}  // namespace
}  // namespace dragoman
