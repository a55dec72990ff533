// What is asked about characters where text is cut, marked up or recognised: their script, their case, white space.
// By hand, for the scripts that are written most: a build needs no ICU for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::text {

// Of letters. Digits, punctuation and symbols have none; scripts that few people write are taken together.
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

// The vowel signs and accents of a script belong to it.
Script script_of(char32_t code);
inline bool is_letter(char32_t code) { return script_of(code) != Script::kNone; }
bool is_digit(char32_t code);
// The accents of Latin, Greek and Cyrillic that are characters of their own, behind their letter.
bool is_accent(char32_t code);

// Whether it is of a script that puts no space between words, a character being about a word.
bool is_ideographic(char32_t code);

// The lower case of a Latin, Greek, Cyrillic or Armenian capital; any other character as it is.
char32_t lower_case(char32_t code);
inline bool is_upper_case(char32_t code) { return lower_case(code) != code; }
// Of the scripts that have capitals.
bool is_lower_case(char32_t code);

// Unicode's white space, and what is there to be seen as little: U+200B and U+FEFF.
bool is_white_space(char32_t code);
bool is_line_end(char32_t code);

// "zh" of the tags zh, zh-Hans, ZH_CN.
std::string language_of(std::string_view tag);

}  // namespace dragoman::text
