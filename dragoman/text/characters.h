// Properties of characters: script, case, white space. Code that splits, marks up or recognises text asks for them. The
// tables are written by hand and cover the scripts that are used most, so that a build does not need ICU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::text {

// The script of a letter. Digits, punctuation and symbols have none; rare scripts share kOther.
enum class Script : std::uint8_t {
  kNone,
  kLatin,
  kGreek,
  kCyrillic,
  kArmenian,
  kHebrew,
  kArabic,
  kDevanagari,
  kBengali,
  kGurmukhi,
  kGujarati,
  kOriya,
  kTamil,
  kTelugu,
  kKannada,
  kMalayalam,
  kSinhala,
  kThai,
  kLao,
  kTibetan,
  kMyanmar,
  kGeorgian,
  kHangul,
  kEthiopic,
  kKhmer,
  kHiragana,
  kKatakana,
  kHan,
  kOther,
};
inline constexpr int kScripts = static_cast<int>(Script::kOther) + 1;

// Vowel signs and accents have the script that they belong to.
Script script_of(char32_t code);
inline bool is_letter(char32_t code) { return script_of(code) != Script::kNone; }
bool is_digit(char32_t code);
// Whether it is a combining accent of Latin, Greek or Cyrillic: a character of its own that follows its letter.
bool is_accent(char32_t code);

// Whether its script puts no spaces between words, so that one character is about one word.
bool is_ideographic(char32_t code);

// The lower case of a Latin, Greek, Cyrillic or Armenian capital; any other character as it is.
char32_t lower_case(char32_t code);
inline bool is_upper_case(char32_t code) { return lower_case(code) != code; }
// Always false in scripts that have no capitals.
bool is_lower_case(char32_t code);

// Unicode's white space, and the invisible characters U+200B and U+FEFF.
bool is_white_space(char32_t code);
bool is_line_end(char32_t code);
// Whether the text shows nothing: all of its characters are white space, control characters, or invisible, such as
// U+200D (which joins letters), U+2800 (an empty cell of Braille) and U+3164 (a place where a letter would be).
bool is_blank(std::string_view text);

// The language of a tag: "zh" for zh, zh-Hans and ZH_CN.
std::string language_of(std::string_view tag);

}  // namespace dragoman::text
