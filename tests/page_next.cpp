// The view "Next word" of the page.
#include "tests/page.h"

namespace dragoman {
namespace {

std::string bar(int number) { return ".next-bars li:nth-child(" + std::to_string(number) + ")"; }

TEST_F(PageTest, TheLikeliestWordsAreThoseOfTheServer) {
  open(kState + "&tab=words");
  wait_until_shown("document.querySelectorAll('.next-bars li').length === 11");
  const Json choice{{"count", 10}, {"layers", true}};
  const Json trace = translated({{"q", kSentence}, {"trace", true}, {"next_words", choice}})["trace"];
  const Json first = trace["next_words"][0];
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(browser().text(bar(i + 1) + " .next-number"), shown(first["words"][i]["p"]));
  }
  double rest = 1;
  for (const Json& word : first["words"]) rest -= word["p"].get<double>();
  EXPECT_EQ(browser().text(bar(11) + " .next-word"), "all other words");
  EXPECT_EQ(browser().text(bar(11) + " .next-number"), shown(rest));
  // A row for each layer, the last on top, with the likeliest word of each position.
  EXPECT_EQ(browser().value("document.querySelectorAll('.lens tbody tr').length"), trace["layer_words"].size());
  EXPECT_EQ(browser().value("document.querySelectorAll('.lens tbody tr:first-child td').length"), trace["tgt"].size());
}

TEST_F(PageTest, AClickOnAWordPutsItIntoTheTranslation) {
  open(kState + "&tab=words");
  wait_until_shown("document.querySelectorAll('.next-bars li').length === 11");
  const std::string other = browser().text(bar(2) + " .next-word");
  browser().click(bar(2) + " button");
  wait_until_shown("document.querySelector('.next-bars .chosen .next-word')?.textContent === '" + other + "'");
  EXPECT_TRUE(browser().text(".next-position:first-child").starts_with(other));
  browser().click(".next section > button");
  wait_until_shown("document.querySelector('.next-bars li:first-child.chosen')");
}

TEST_F(PageTest, ATemperatureChangesTheBarsAsTheServerSays) {
  open(kState + "&tab=words");
  wait_until_shown("document.querySelectorAll('.next-bars li').length === 11");
  browser().run(R"(
      const input = document.querySelector("#view .range input");
      input.value = Math.log(2);
      input.dispatchEvent(new Event("input"));
      input.dispatchEvent(new Event("change"));)");
  const Json warm{{"count", 10}, {"temperature", 2}};
  const Json words = translated({{"q", kSentence}, {"trace", true}, {"next_words", warm}})["trace"]["next_words"];
  wait_until_shown("document.querySelector('.next-bars .next-number').textContent === '" +
                   shown(words[0]["words"][0]["p"]) + "'");
}

TEST_F(PageTest, TheShownColumnOfTheLensIsVisible) {
  browser().size(390, 844);
  open(kState + "&tab=words&word=5");
  wait_until_shown("document.querySelector('.lens th.shown')");
  EXPECT_TRUE(browser().run(R"(
      const [column, table] = [".lens th.shown", ".lens-scroll"].map(
          (selector) => document.querySelector(selector).getBoundingClientRect());
      return column.left >= table.left - 1 && column.right <= table.right + 1;)"));
}

}  // namespace
}  // namespace dragoman
