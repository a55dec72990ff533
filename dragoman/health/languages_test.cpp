#include "dragoman/health/languages.h"

#include <gtest/gtest.h>

#include "dragoman/health/testing.h"

namespace dragoman::health {
namespace {

Survey english_and_german() {
  Survey survey;
  for (int i = 0; i < 5; ++i) survey.add(kEnglish[i], kGerman[i]);
  return survey;
}

bool is_foreign(const Survey& survey, std::string_view line, Side side) {
  text::LetterList letters;
  letters.assign(line);
  return LanguageJudge(survey).is_foreign(letters, side);
}

TEST(LanguageJudge, FindsLinesOfTheOtherLanguage) {
  const Survey survey = english_and_german();
  const char* english = "There is something that they have not told the others about the house.";
  const char* german = "Es gibt etwas, das sie den anderen nicht über das Haus gesagt haben.";
  EXPECT_FALSE(is_foreign(survey, english, Side::kSource));
  EXPECT_TRUE(is_foreign(survey, english, Side::kTarget));
  EXPECT_TRUE(is_foreign(survey, german, Side::kSource));
  EXPECT_FALSE(is_foreign(survey, german, Side::kTarget));
}

TEST(LanguageJudge, FindsLinesInForeignLettersButNotNames) {
  const Survey survey = english_and_german();
  EXPECT_TRUE(is_foreign(survey, "Это предложение написано другими буквами", Side::kSource));
  EXPECT_FALSE(is_foreign(survey, "The word for good morning there is Доброе утро", Side::kSource));
  EXPECT_FALSE(is_foreign(survey, "Иван Петров", Side::kSource));  // too short to tell
  EXPECT_FALSE(is_foreign(survey, "12345 67890", Side::kSource));
}

TEST(LanguageJudge, FindsAThirdLanguageAfterMuchText) {
  const char* french = "Le vieil homme et le garçon se promenaient au bord de la rivière.";
  Survey little = english_and_german(), much;
  for (int i = 0; i < 1500; ++i) much.add(little);
  EXPECT_TRUE(is_foreign(much, french, Side::kSource));
  EXPECT_TRUE(is_foreign(much, french, Side::kTarget));
  EXPECT_FALSE(is_foreign(much, kEnglish[3], Side::kSource));
  EXPECT_FALSE(is_foreign(much, "Le vieil homme et le garçon", Side::kSource));  // too short to tell
  EXPECT_FALSE(is_foreign(little, french, Side::kTarget));
}

TEST(LanguageJudge, SaysNothingWithoutText) {
  EXPECT_FALSE(is_foreign({}, kEnglish[0], Side::kSource));
  Survey one_side;
  for (const char* sentence : kEnglish) one_side.add(sentence, "");
  EXPECT_FALSE(is_foreign(one_side, kGerman[0], Side::kTarget));
}

TEST(Survey, MeasuresHowLongTranslationsAre) {
  Survey survey;
  EXPECT_DOUBLE_EQ(survey.length_ratio(), 1);
  survey.add("abcd", "äb");
  EXPECT_DOUBLE_EQ(survey.length_ratio(), 0.5);
  Survey more;
  more.add("ab", "abcd");
  survey.add(more);
  EXPECT_DOUBLE_EQ(survey.length_ratio(), 1);
}

Survey::OneSide side_of(std::string_view sentence) {
  Survey survey;
  for (int i = 0; i < 20; ++i) survey.add(sentence, "");
  return survey.source;
}

TEST(LanguageFinding, ComparesTheTextWithItsTag) {
  const Survey::OneSide german = side_of(kGerman[3]);
  const auto wrong = language_finding(german, "en", "source");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->level, Level::kError);
  EXPECT_NE(wrong->text.find("should be English, but seems to be German"), std::string::npos) << wrong->text;
  const auto right = language_finding(german, "de-AT", "source");
  ASSERT_TRUE(right);
  EXPECT_EQ(right->level, Level::kGood);
  const auto untagged = language_finding(german, "", "source");
  ASSERT_TRUE(untagged);
  EXPECT_EQ(untagged->text, "the source seems to be German");
}

TEST(LanguageFinding, ComparesLettersIfThereIsNoListOfWords) {
  const auto wrong = language_finding(side_of(kEnglish[0]), "zh", "source");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->level, Level::kError);
  EXPECT_NE(wrong->text.find("only 0 % of its words are in the letters"), std::string::npos) << wrong->text;
  const auto right = language_finding(side_of("早上好，世界。"), "zh", "source");
  ASSERT_TRUE(right);
  EXPECT_EQ(right->level, Level::kGood);
}

TEST(LanguageFinding, SaysNothingAboutTextThatItCannotTell) {
  EXPECT_FALSE(language_finding(side_of("one two three"), "en", "a"));  // too few words of the list
  EXPECT_FALSE(language_finding(side_of("123"), "en", "a"));
  EXPECT_FALSE(language_finding(side_of("Tá an leabhar ar an mbord sa seomra mór"), "ga", "a"));
}

}  // namespace
}  // namespace dragoman::health
