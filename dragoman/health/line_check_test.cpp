#include "dragoman/health/line_check.h"

#include <gtest/gtest.h>

#include <iterator>

#include "dragoman/base/random.h"
#include "dragoman/base/utf8.h"

namespace dragoman::health {
namespace {

// The damages of a line.
std::vector<Damage> damages(std::string_view line) {
  std::vector<Damage> found;
  const LineFacts facts = examine_line(line);
  for (std::size_t kind = 0; kind < kDamages; ++kind) {
    if (facts.damage[kind]) found.push_back(static_cast<Damage>(kind));
  }
  return found;
}

TEST(LineCheck, FindsNothingInSoundText) {
  for (const char* line : {"", "A plain sentence.", "a\ttab", "Für Elise: „Spaß“, “MENÜ”, 20 °C, «Été» … œuvre",
                           "AT&T; R&D, a & b; c", "早上好，世界。", "Доброе утро", "Καλημέρα", "صباح الخير", "😀 emoji",
                           "“MAÇÃ”", "„Spaß“ und „Fuß“ und „Gruß“"}) {
    EXPECT_TRUE(damages(line).empty()) << line;
  }
}

TEST(LineCheck, FindsBytesThatAreNotUtf8AndLooksNoFurther) {
  EXPECT_EQ(damages("caf\xE9 &amp; \x01"), std::vector{Damage::kNotUtf8});
  EXPECT_EQ(examine_line("caf\xE9").at(Damage::kNotUtf8), 3u);
  EXPECT_FALSE(examine_line("\xFF").is_empty);
}

TEST(LineCheck, FindsTextThatWasEncodedTwice) {
  for (const char* line : {"fÃ¼r", "Ãœber", "donâ€™t", "20Â°C", "â‚¬5", "ï»¿Title", "Ð”Ð¾Ð±Ñ€Ð¾Ðµ", "æ—©ä¸Šå¥½"}) {
    EXPECT_EQ(damages(line), std::vector{Damage::kMojibake}) << line;
  }
  EXPECT_EQ(examine_line("Tee fÃ¼r zwei").at(Damage::kMojibake), 5u);
  EXPECT_EQ(damages("groÃ\u009F"), std::vector{Damage::kMojibake});  // by Latin-1, which has control characters there
  EXPECT_EQ(damages("groÃ\u009F\x01").size(), 2u);
}

TEST(LineCheck, FindsCharactersThatDoNotBelongIntoText) {
  EXPECT_EQ(damages("a\uFFFDb"), std::vector{Damage::kReplacement});
  EXPECT_EQ(damages("a\uFEFFb"), std::vector{Damage::kByteOrderMark});
  for (const std::string& line : {std::string("a\0b", 3), std::string("a\rb"), std::string("a\x7F"),
                                  std::string("a\u0085b"), std::string("a\u2028b")}) {
    EXPECT_EQ(damages(line), std::vector{Damage::kControl}) << line;
  }
}

TEST(LineCheck, FindsEntities) {
  for (const char* line : {"R&amp;D", "it&#39;s", "it&#x27;s", "&quot;Yes&quot;"}) {
    EXPECT_EQ(damages(line), std::vector{Damage::kEntity}) << line;
  }
  for (const char* line : {"&;", "&#;", "a & b;", "&1;", "&averylongname;", "&amp"}) {
    EXPECT_TRUE(damages(line).empty()) << line;
  }
}

TEST(LineCheck, CountsCharactersAndKnowsEmptyLines) {
  EXPECT_EQ(examine_line("für 早").characters, 5);
  EXPECT_TRUE(examine_line("").is_empty);
  EXPECT_TRUE(examine_line(" \t\u00A0\u3000").is_empty);
  EXPECT_FALSE(examine_line(".").is_empty);
  EXPECT_FALSE(examine_line("12 !").has_letters);
  EXPECT_TRUE(examine_line("1 ä").has_letters);
}

TEST(LineCheck, TakesAnyBytesAndShowsThemAsUtf8) {
  const std::string parts[] = {"a", "&", ";", "#", "\xC3", "\x83", "\xE2\x82\xAC", "\xF0", "\xFF", "Ã", "¤", " ", "早"};
  RandomStream random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string line;
    for (std::uint32_t n = random.below(90); n > 0; --n) line += parts[random.below(std::size(parts))];
    const LineFacts facts = examine_line(line);
    EXPECT_EQ(facts.at(Damage::kNotUtf8), first_invalid_utf8(line));
    const std::size_t at = random.below(static_cast<std::uint32_t>(line.size() + 1));
    EXPECT_FALSE(first_invalid_utf8(Place{.file = "f", .line = 1, .text = line}.example(at).text));
  }
}

TEST(Place, ShowsThePartOfTheLineThatMatters) {
  const std::string text = std::string(100, 'a') + "ä\x01" + std::string(100, 'b');
  const Place place{.file = "f", .line = 7, .text = text};
  const Example example = place.example(102);
  EXPECT_EQ(example.line, 7);
  EXPECT_EQ(example.text, "...\"" + std::string(19, 'a') + "ä\\u0001" + std::string(39, 'b') + "\"...");
  EXPECT_EQ((Place{.file = "f", .line = 1, .text = "short"}.example(3).text), "\"short\"");
  EXPECT_EQ((Place{.file = "f", .line = 1, .text = "caf\xE9"}.example(3).text), "\"caf\\xE9\"");
}

}  // namespace
}  // namespace dragoman::health
