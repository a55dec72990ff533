#include "dragoman/cli/settings/prompt_settings.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"

namespace dragoman::cli {
namespace {

class PromptSettingsTest : public ::testing::Test {
 protected:
  // The message of the UsageError that the text causes.
  std::string refusal(const std::string& text) {
    try {
      return "no error: " + settings.change(text);
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  TranslateOptions options;
  decode::SearchSettings search;
  PromptSettings settings{options, search};
};

TEST_F(PromptSettingsTest, ChangesASettingAndRepeatsIt) {
  EXPECT_EQ(settings.change("beam 8"), "beam is 8");
  EXPECT_EQ(settings.change("beam=9"), "beam is 9");
  EXPECT_EQ(settings.change("  alpha \t 1.5 "), "alpha is 1.5");
  EXPECT_EQ(settings.change("search sample"), "search is sample");
  EXPECT_EQ(search.beam, 9);
  EXPECT_EQ(search.alpha, 1.5);
  EXPECT_EQ(search.method, decode::Method::kSample);
}

TEST_F(PromptSettingsTest, HyphensMayBeLeftOut) {
  for (const char* text : {"nbest 3", "n-best 3", "n_best 3"}) {
    search.n_best = 1;
    EXPECT_EQ(settings.change(text), "n-best is 3");
    EXPECT_EQ(search.n_best, 3);
  }
}

TEST_F(PromptSettingsTest, WithoutAValueASwitchIsTurnedOnAndAnythingElseIsShown) {
  EXPECT_EQ(settings.change("scores"), "scores is true");
  EXPECT_TRUE(options.scores);
  EXPECT_EQ(settings.change("scores off"), "scores is false");
  EXPECT_FALSE(options.scores);
  EXPECT_EQ(settings.change("beam"), "beam is 4");
}

TEST_F(PromptSettingsTest, RefusesWhatTheCommandLineRefusesAndKeepsTheOldValue) {
  EXPECT_EQ(refusal("beam 0"), "beam is 0; it must be from 1 to 1000.");
  EXPECT_TRUE(refusal("beam 8x").starts_with(":beam: '8x' is not a whole number")) << refusal("beam 8x");
  EXPECT_TRUE(refusal("nbest 5").starts_with("n-best is 5 but the beam is only 4 wide")) << refusal("nbest 5");
  EXPECT_TRUE(refusal("scores perhaps").starts_with(":scores: 'perhaps'"));
  EXPECT_EQ(refusal("baem 8"), "there is no setting 'baem'. Did you mean 'beam'? :help lists them all.");
  EXPECT_EQ(refusal("model x"), "there is no setting 'model'. :help lists them all.");
  EXPECT_EQ(search.beam, 4);
  EXPECT_EQ(search.n_best, 1);
  EXPECT_FALSE(options.scores);
}

TEST_F(PromptSettingsTest, ListsEverySettingWithItsValue) {
  settings.change("beam 8");
  const std::string list = settings.list();
  EXPECT_NE(list.find("  :beam             8         number of hypotheses"), std::string::npos) << list;
  EXPECT_NE(list.find("  :alignment        false "), std::string::npos) << list;
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 16);
}

}  // namespace
}  // namespace dragoman::cli
