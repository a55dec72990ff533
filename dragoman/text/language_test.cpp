#include "dragoman/text/language.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "dragoman/base/error.h"

namespace dragoman::text {
namespace {

using Lines = std::vector<std::string>;

Lines english() {
  return {"The old man and the boy walked along the river in the early morning.",
          "She has never been there before, but she would like to go one day.",
          "What do you think about the weather this week?",
          "They were looking for a house with a garden and enough room for the children.",
          "I think that this is the right way to do it, and nothing else will work.",
          "We should have told them that there was no bread left in the kitchen.",
          "Which of these books have you read, and which would you give to your friends?",
          "It was getting dark when the train finally reached the station."};
}

Lines german() {
  return {"Der alte Mann und der Junge gingen am frühen Morgen am Fluss entlang.",
          "Sie ist noch nie dort gewesen, aber sie würde eines Tages gerne hinfahren.",
          "Was denkst du über das Wetter in dieser Woche?",
          "Sie suchten ein Haus mit einem Garten und genug Platz für die Kinder.",
          "Ich glaube, dass dies der richtige Weg ist und dass nichts anderes geht.",
          "Wir hätten ihnen sagen sollen, dass kein Brot mehr in der Küche war.",
          "Welche von diesen Büchern hast du gelesen, und welche würdest du deinen Freunden geben?",
          "Es wurde schon dunkel, als der Zug endlich den Bahnhof erreichte."};
}

std::vector<KnownLanguage> english_and_german() {
  return {{"en", LanguageProfile(english())}, {"de", LanguageProfile(german())}};
}

std::string likeliest(std::string_view text, const std::vector<KnownLanguage>& languages) {
  return detect(text, languages).at(0).tag;
}

TEST(Detect, TellsLanguagesOfOneScriptByTheirProfiles) {
  const std::vector<KnownLanguage> languages = english_and_german();
  EXPECT_EQ(likeliest("There is something that they have not told the others.", languages), "en");
  EXPECT_EQ(likeliest("Es gibt etwas, das sie den anderen nicht gesagt haben.", languages), "de");
  EXPECT_GT(detect("Wir haben den Schlüssel nicht gefunden.", languages)[0].confidence, 90);
}

TEST(Detect, TellsScriptsWithoutProfiles) {
  const std::vector<KnownLanguage> languages{{"en"}, {"zh-Hans"}, {"ja"}, {"ko"}, {"ru"},
                                             {"el"}, {"ar"},      {"he"}, {"hi"}, {"th"}};
  EXPECT_EQ(likeliest("Good morning", languages), "en");
  EXPECT_EQ(likeliest("早上好", languages), "zh-Hans");
  EXPECT_EQ(likeliest("お早うございます", languages), "ja");
  EXPECT_EQ(likeliest("좋은 아침", languages), "ko");
  EXPECT_EQ(likeliest("Доброе утро", languages), "ru");
  EXPECT_EQ(likeliest("Καλημέρα", languages), "el");
  EXPECT_EQ(likeliest("صباح الخير", languages), "ar");
  EXPECT_EQ(likeliest("בוקר טוב", languages), "he");
  EXPECT_EQ(likeliest("शुभ प्रभात", languages), "hi");
  EXPECT_EQ(likeliest("สวัสดี", languages), "th");
  EXPECT_GT(detect("早上好", languages)[0].confidence, 90);
}

TEST(Detect, IsNotMisledByNames) {
  const std::vector<KnownLanguage> languages{{"en"}, {"zh"}};
  EXPECT_EQ(likeliest("iPhone 15 很好", languages), "zh");
  EXPECT_EQ(likeliest("我用 Python 写程序", languages), "zh");
  EXPECT_EQ(likeliest("The word for hello in Chinese is 你好", languages), "en");
}

TEST(Detect, IsLessConfidentAboutShorterText) {
  const std::vector<KnownLanguage> languages = english_and_german();
  const double word = detect("in", languages)[0].confidence;
  const double sentence = detect("They have not told the others.", languages)[0].confidence;
  EXPECT_LT(word, 90);
  EXPECT_GT(sentence, word);
}

TEST(Detect, GivesEqualConfidencesWithoutLetters) {
  for (const char* text : {"", " ", "123 !?", "😀"}) {
    const std::vector<LanguageGuess> guesses = detect(text, english_and_german());
    EXPECT_EQ(guesses[0].tag, "en");
    EXPECT_DOUBLE_EQ(guesses[0].confidence, 50);
    EXPECT_DOUBLE_EQ(guesses[1].confidence, 50);
  }
  EXPECT_TRUE(detect("text", {}).empty());
}

TEST(Detect, ConfidencesSumToOneHundred) {
  std::vector<KnownLanguage> languages = english_and_german();
  languages.push_back({"zh"});
  double sum = 0, last = 100;
  for (const LanguageGuess& guess : detect("Morgen ist the day 好", languages)) {
    EXPECT_LE(guess.confidence, last);
    last = guess.confidence;
    sum += guess.confidence;
  }
  EXPECT_NEAR(sum, 100, 1e-9);
}

TEST(Detect, IgnoresCaseAndPunctuation) {
  const std::vector<KnownLanguage> languages = english_and_german();
  EXPECT_DOUBLE_EQ(detect("ÜBER DEN FLUSS!", languages)[0].confidence,
                   detect("über den fluss", languages)[0].confidence);
}

TEST(Detect, TakesAnyBytesInLinearTime) {
  const std::vector<KnownLanguage> languages = english_and_german();
  for (const std::string unit : {" ", ".", "<", "&", "\n", "a", "好", "\xFF", "\u0301", "ab "}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(detect(text, languages).size(), 2u);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << unit;
  }
}

TEST(LetterList, ScoresALineAsTheCountsDo) {
  const LanguageProfile profiles[] = {LanguageProfile(english()), LanguageProfile(german())};
  for (const char* text : {"", "Über den Fluss, my friend", "早上好 iPhone", "\xFF ab"}) {
    LetterCounts counts;
    counts.add(text);
    LetterList list;
    list.assign("what was there before");
    list.assign(text);
    EXPECT_EQ(list.words(), std::accumulate(counts.scripts.begin(), counts.scripts.end(), std::int64_t{0}));
    for (const LanguageProfile& profile : profiles) {
      EXPECT_NEAR(profile.ngram_score(list), profile.ngram_score(counts), 1e-9) << text;
      EXPECT_NEAR(profile.score(list), profile.script_score(counts) + 0.25 * profile.ngram_score(counts), 1e-9) << text;
    }
  }
}

TEST(Scripts, OfALanguageAreKnownByItsTag) {
  EXPECT_EQ(scripts_of("ru"), std::vector<Script>{Script::kCyrillic});
  EXPECT_EQ(scripts_of("zh-Hans"), std::vector<Script>{Script::kHan});
  EXPECT_EQ(scripts_of("ja").size(), 3u);
  EXPECT_EQ(scripts_of("en"), std::vector<Script>{Script::kLatin});
}

TEST(Profile, ReadsBackWhatItWrote) {
  const LanguageProfile profile(german());
  const std::string digits = profile.digits();
  EXPECT_LT(digits.size(), 5000u);
  EXPECT_EQ(LanguageProfile::from_digits(digits), profile);
}

TEST(Profile, RefusesMalformedText) {
  std::string digits = LanguageProfile(german()).digits();
  EXPECT_THROW(LanguageProfile::from_digits(digits + "A"), Error);
  EXPECT_THROW(LanguageProfile::from_digits(""), Error);
  digits[17] = '"';
  EXPECT_THROW(LanguageProfile::from_digits(digits), Error);
}

TEST(Profile, WithoutTextGivesNoPreference) {
  const std::vector<KnownLanguage> languages{{"en", LanguageProfile(Lines{})}, {"de", LanguageProfile(Lines{})}};
  EXPECT_DOUBLE_EQ(detect("Guten Morgen", languages)[0].confidence, 50);
}

}  // namespace
}  // namespace dragoman::text
