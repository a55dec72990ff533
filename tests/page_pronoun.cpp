// The view "Compare" offers the two sentences with which `dragoman demo` shows what a pronoun stands for.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "tests/page.h"

namespace dragoman {
namespace {

class PronounExampleTest : public PageTest {
 protected:
  // What `dragoman demo` could have found, with words of this model: head encoder 2.1 looks from the third word.
  static std::string found() {
    const Json example{{"pronoun", "two"}, {"place", 3}, {"sentences", {{{"text", kSentence}}, {{"text", kOther}}}}};
    const Json pronoun{{"attention", "encoder"}, {"layer", 2}, {"head", 1}, {"example", example}};
    return Json{{"version", 1}, {"weights", Json::object()}, {"heads", Json::array()}, {"pronoun", pronoun}}.dump();
  }
  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped()) return;
    replace_file(model() + "/heads.json", found());
  }
  void TearDown() override {
    std::filesystem::remove(model() + "/heads.json");
    PageTest::TearDown();
  }
};

TEST_F(PronounExampleTest, ALinkShowsBothSentencesWithTheWeightsFromThePronoun) {
  open("q=one+two&tab=compare");
  browser().wait_for("document.querySelector('.compare .side-head a')?.checkVisibility()");
  EXPECT_EQ(browser().text(".compare .side-head a"), "Example: what “two” stands for");
  browser().click(".compare .side-head a");
  wait_until_shown("document.querySelector('.versus tbody tr')");
  EXPECT_EQ(browser().value("[document.querySelector('#sentence').value, document.querySelector('#second').value]"),
            Json({kSentence, kOther}));
  EXPECT_EQ(browser().text(".compare section h3"), "“two” looks at");
  EXPECT_EQ(browser().text(".compare section .note"),
            "Encoder self-attention, layer 2, mean of one head; weights below 0.005 in both are left out.");
  const std::vector<double> weights =
      translated({{"q", kSentence}, {"trace", true}})["trace"]["attention"]["encoder"][1][0][2];
  const std::vector<std::string> figures =
      browser().value("[...document.querySelectorAll('.versus tbody tr')].map((row) => row.cells[0].textContent)");
  EXPECT_NE(std::ranges::find(figures, shown(*std::ranges::max_element(weights))), figures.end());
  EXPECT_FALSE(browser().value("document.querySelector('.compare .side-head a').checkVisibility()"));
}

TEST_F(PageTest, AWordIsComparedWithTheOneInItsPlace) {
  open(kState + "&tab=compare&compare=three+eight+two+seven+three+one+two+six&attention=encoder&query=8");
  wait_until_shown("document.querySelector('.versus tbody tr')");
  EXPECT_EQ(browser().text(".compare section h3"), "“seven / six” looks at");
}

}  // namespace
}  // namespace dragoman
