#include "dragoman/text/characters.h"

#include <gtest/gtest.h>

namespace dragoman::text {
namespace {

TEST(Characters, LettersHaveTheirScript) {
  EXPECT_EQ(script_of(U'z'), Script::kLatin);
  EXPECT_EQ(script_of(U'ß'), Script::kLatin);
  EXPECT_EQ(script_of(U'ω'), Script::kGreek);
  EXPECT_EQ(script_of(U'Ж'), Script::kCyrillic);
  EXPECT_EQ(script_of(U'א'), Script::kHebrew);
  EXPECT_EQ(script_of(U'ش'), Script::kArabic);
  EXPECT_EQ(script_of(U'ह'), Script::kDevanagari);
  EXPECT_EQ(script_of(U'ไ'), Script::kThai);
  EXPECT_EQ(script_of(U'の'), Script::kHiragana);
  EXPECT_EQ(script_of(U'ー'), Script::kKatakana);
  EXPECT_EQ(script_of(U'한'), Script::kHangul);
  EXPECT_EQ(script_of(U'译'), Script::kHan);
  EXPECT_EQ(script_of(U'Ꭰ'), Script::kOther);
}

TEST(Characters, DigitsPunctuationAndSymbolsHaveNoScript) {
  for (const char32_t code : U"0 9@[`{\x7F٣५.,!?。、।؟×÷€😀·\u037E")
    EXPECT_EQ(script_of(code), Script::kNone) << std::uint32_t{code};
  for (const char32_t code : std::u32string_view(U"09٣५０")) EXPECT_TRUE(is_digit(code)) << std::uint32_t{code};
  for (const char32_t code : std::u32string_view(U"/:½²a零")) EXPECT_FALSE(is_digit(code)) << std::uint32_t{code};
}

TEST(Characters, CapitalsHaveSmallLetters) {
  const std::u32string_view capitals = U"AZÀÖØÞŒŐŹŸƯȘΆΈΌΏΑΣЀЏАЯӁҐӘԱẞẬỲＡ";
  const std::u32string_view small = U"azàöøþœőźÿưșάέόώασѐџаяӂґәաßậỳａ";
  ASSERT_EQ(capitals.size(), small.size());
  for (std::size_t i = 0; i < capitals.size(); ++i) {
    EXPECT_EQ(lower_case(capitals[i]), small[i]) << i;
    EXPECT_EQ(lower_case(small[i]), small[i]) << i;
    EXPECT_TRUE(is_upper_case(capitals[i]) && is_lower_case(small[i])) << i;
  }
  for (const char32_t code : std::u32string_view(U"×1.译ش")) EXPECT_FALSE(is_upper_case(code) || is_lower_case(code));
}

TEST(Characters, WhiteSpaceIsOfManyKinds) {
  for (const char32_t code : std::u32string_view(U" \t\n\r\v\f\u0085\u00A0\u2003\u2028\u202F\u3000\uFEFF")) {
    EXPECT_TRUE(is_white_space(code)) << std::uint32_t{code};
  }
  for (const char32_t code : std::u32string_view(U"a\u200D\u00AD\x1F")) EXPECT_FALSE(is_white_space(code));
  EXPECT_TRUE(is_line_end(U'\r') && is_line_end(U'\u2028'));
  EXPECT_FALSE(is_line_end(U' ') || is_line_end(U'\t'));
}

TEST(Characters, ABlankTextShowsNothing) {
  for (const std::string_view text :
       {"", " ", "\t \v", "\u00A0", "\u3000", "\u200B", "\uFEFF", "\u200D\u2060", "\u00AD", "\u2800", "\u3164",
        "\uFE0F", "\x01\x7F", "\u0085", "\u2028", "\U000E0020", " \u3000\u200B\uFEFF "}) {
    EXPECT_TRUE(is_blank(text)) << text;
  }
  for (const std::string_view text :
       {".", "a\u200B", "\u3000語", "0", "\u0301", "\u2801", "\U0001F600", "\uFFFD", "\xFF"}) {
    EXPECT_FALSE(is_blank(text)) << text;
  }
}

TEST(LanguageOf, LeavesOutScriptAndRegion) {
  EXPECT_EQ(language_of("zh-Hans-CN"), "zh");
  EXPECT_EQ(language_of("PT_br"), "pt");
  EXPECT_EQ(language_of(""), "");
}

}  // namespace
}  // namespace dragoman::text
