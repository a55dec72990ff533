// The view "Ranking": heads as dots, the roles that they have over many sentences, filters and the table.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "dragoman/base/files.h"
#include "tests/page.h"
#include "tests/program.h"

namespace dragoman {
namespace {

// What `dragoman heads` could have found for the model of these tests: three heads have a role.
std::string found_heads() {
  Json heads = Json::array();
  for (const std::string site : {"encoder", "decoder", "cross"}) {
    for (const int layer : {1, 2}) {
      for (const int head : {1, 2}) {
        const bool is_cross = site == "cross";
        const char* role = site == "encoder" && layer == 1       ? "previous word"
                           : is_cross && layer == 2 && head == 2 ? "alignment"
                                                                 : "mixed";
        heads.push_back({{"attention", site},
                         {"layer", layer},
                         {"head", head},
                         {"role", role},
                         {"entropy", 0.5 * layer + 0.25 * head},
                         {"distance", 2.0 / layer + 0.1 * head},
                         {"peak", 0.5},
                         {"own", nullptr},
                         {"previous", is_cross ? Json(nullptr) : Json(0.625)},
                         {"next", nullptr},
                         {"first", 0.125},
                         {"end", nullptr},
                         {"agreement", is_cross ? Json(0.8125) : Json(nullptr)}});
      }
    }
  }
  return Json{{"version", 1}, {"sentences", 321}, {"weights", Json::object()}, {"heads", heads}}.dump();
}

class RankingTest : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped()) return;
    replace_file(model() + "/heads.json", found_heads());
  }
  void TearDown() override {
    std::filesystem::remove(model() + "/heads.json");
    PageTest::TearDown();
  }
  static Json dots() { return browser().value("document.querySelectorAll('.scatter .dot').length"); }
  static void choose_role(const std::string& role) {
    browser().run(
        "const list = document.querySelector('#view select'); list.value = arguments[0]; "
        "list.dispatchEvent(new Event('change'));",
        Json::array({role}));
  }
};

TEST_F(RankingTest, ShowsADotForEachHeadThatFiltersAndClicksReach) {
  open(kState + "&tab=ranking");
  browser().wait_for("document.querySelectorAll('.scatter .dot').length === 12");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.scatter-legend li')].map(({textContent}) => textContent)"),
            Json({"Encoder self-attention", "Decoder self-attention", "Cross-attention"}));
  browser().wait_for(
      "[...document.querySelectorAll('.dot-label')].some(({textContent}) => textContent === 'alignment 2.2')");

  browser().click("#view input[data-value=cross] + span");
  EXPECT_EQ(dots(), 4);
  browser().click("#view fieldset:nth-of-type(3) input[data-value='1'] + span");
  EXPECT_EQ(dots(), 2);
  choose_role("alignment");
  EXPECT_EQ(dots(), 1);
  EXPECT_EQ(browser().value("document.querySelector('.dot').getAttribute('aria-label')"),
            "Cross-attention, layer 2, head 2 (alignment): Distance 1.20, Entropy, bits 1.50");
  browser().run("document.querySelector('.scatter .dot').dispatchEvent(new MouseEvent('click', {bubbles: true}));");
  browser().wait_for("document.querySelector('.dot[aria-pressed=true]')");
  browser().wait_for("/&head=2/.test(location.hash) && /&heads=2/.test(location.hash)");  // the address follows
  choose_role("previous word");
  browser().wait_for("document.querySelector('.scatter text.label')");  // no head fits
  EXPECT_EQ(dots(), 0);
}

TEST_F(RankingTest, NumbersAreThoseOfManySentencesOrOfThisOne) {
  open(kState + "&tab=ranking");
  browser().wait_for("document.querySelectorAll('.scatter .dot').length === 12");
  EXPECT_FALSE(browser().value("document.querySelector('.ranking').checkVisibility()"));
  browser().click(".ranking-table summary");
  browser().wait_for("document.querySelector('.ranking').checkVisibility()");
  const auto cells = [](const std::string& head) {
    return browser().run(
        "const row = [...document.querySelectorAll('.ranking tbody tr')].find((one) => "
        "one.firstChild.textContent === arguments[0]); return [...row.children].map((cell) => cell.innerText.trim());",
        Json::array({head}));
  };
  EXPECT_EQ(cells("cross 2.2"),
            Json({"cross 2.2", "alignment", "1.20", "1.50", "50 %", "–", "–", "–", "13 %", "–", "81 %"}));
  browser().click("#view input[data-value=sentence] + span");
  browser().wait_for("document.querySelector('.ranking thead').innerText.includes('Looks mostly at')");
  browser().wait_for("location.hash.includes('over=sentence')");
  const Json sentence = cells("cross 2.2");
  EXPECT_EQ(sentence[1], "alignment");  // a role is always that of many sentences
  EXPECT_NE(sentence[3], "1.50");
  // Behind the causal mask nothing is known of the word itself or of the next one.
  const Json decoder = cells("decoder 1.1");
  EXPECT_EQ(decoder[5], "–");
  EXPECT_NE(decoder[6], "–");
  EXPECT_EQ(decoder[7], "–");
}

TEST_F(RankingTest, RolesAreNamedWhereverHeadsAre) {
  open(kState + "&attention=cross&layer=2");
  browser().wait_for("document.querySelectorAll('.square')[1].title.startsWith('alignment · Head 2')");
  EXPECT_TRUE(browser().value("document.querySelectorAll('.square')[0].title.startsWith('Head 1')"));
  show("matrix");
  browser().wait_for("document.querySelector('#view label[title=\"Cross-attention, layer 2, head 2 (alignment)\"]')");
}

TEST_F(RankingTest, TheKeyboardGoesFromHeadToHead) {
  open(kState + "&tab=ranking&attention=encoder&layer=1&head=1");
  browser().wait_for("document.querySelectorAll('.scatter .dot').length === 12");
  browser().focus(".dot[tabindex='0']");
  browser().press({Key::kRight});
  EXPECT_EQ(browser().value("document.activeElement.getAttribute('aria-label').split(':')[0]"),
            "Encoder self-attention, layer 1, head 2 (previous word)");
  EXPECT_TRUE(browser().value("document.querySelector('.tip').checkVisibility()"));
  browser().press({Key::kEnter});
  browser().wait_for("location.hash.includes('head=2')");
  EXPECT_EQ(browser().value("document.activeElement.getAttribute('aria-pressed')"), "true");
}

TEST_F(RankingTest, AFileHasTheRolesToo) {
  const std::string page = file("heads.html");
  const Ending shown =
      shell("echo '" + kSentence + "' | " + kProgram + " show --threads 1 --model " + model() + " --output " + page);
  ASSERT_EQ(shown.status, 0) << shown.err;
  open_file(page, "tab=ranking");
  browser().wait_for("document.querySelectorAll('.scatter .dot').length === 12");
  choose_role("alignment");
  EXPECT_EQ(dots(), 1);
}

TEST_F(RankingTest, FitsAPhone) {
  browser().size(390, 800);
  open(kState + "&tab=ranking");
  browser().wait_for("document.querySelectorAll('.scatter .dot').length === 12");
  EXPECT_TRUE(browser().value("document.documentElement.scrollWidth <= innerWidth"));
  EXPECT_TRUE(browser().value("document.querySelector('.scatter svg').getBoundingClientRect().width <= innerWidth"));
}

TEST_F(PageTest, WithoutRolesTheRankingIsThatOfTheSentence) {
  open(kState + "&tab=ranking");
  browser().wait_for("document.querySelectorAll('.scatter .dot').length === 12");
  EXPECT_FALSE(
      browser().value("[...document.querySelectorAll('#view legend')].some((one) => "
                      "one.textContent === 'Numbers of' && one.checkVisibility())"));
  EXPECT_NE(
      browser().value("document.querySelector('#view').innerText").get<std::string>().find("dragoman heads --model"),
      std::string::npos);
}

}  // namespace
}  // namespace dragoman
