#include "dragoman/base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace dragoman {
namespace {

// The code point in UTF-8's bit layout, even where UTF-8 does not allow it.
std::string utf8_of(std::uint32_t code) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryCodePointButSurrogatesIsValid) {
  for (std::uint32_t code = 0; code <= 0x110010; ++code) {
    const bool is_character = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    ASSERT_EQ(!first_invalid_utf8(utf8_of(code)), is_character) << code;
    if (is_character) {
      ASSERT_EQ(character_bytes(utf8_of(code)[0]), utf8_of(code).size());
      ASSERT_EQ(to_code_points(utf8_of(code)), std::u32string(1, code));
      ASSERT_EQ(to_utf8(std::u32string(1, code)), utf8_of(code));
    }
  }
}

TEST(Utf8, OverlongFormsAreInvalid) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
                           "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80", "\xFC\x84\x80\x80\x80\x80"}) {
    EXPECT_EQ(first_invalid_utf8(text), 0u);
  }
}

TEST(Utf8, TheFirstWrongByteIsFound) {
  EXPECT_EQ(first_invalid_utf8("Stra\xDF"
                               "e"),
            4u);
  EXPECT_EQ(first_invalid_utf8("\xC3\xA4\xC3"), 2u);
  EXPECT_EQ(first_invalid_utf8("a\x80"), 1u);
  EXPECT_EQ(first_invalid_utf8("\xE2\x82"), 0u);
  EXPECT_EQ(first_invalid_utf8("\xF0\x9F\x98"
                               "x"),
            0u);
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8(std::string("a\0b", 3)), std::nullopt);
}

TEST(Utf8, CharactersAreCounted) {
  EXPECT_EQ(count_characters("Stra\xC3\x9F"
                             "e \xE2\x82\xAC\xF0\x9F\x98\x80"),
            9u);
}

TEST(Utf8, CodePointsAreReadOneByOne) {
  const std::string text = "a\xE2\x82\xAC\xE2\x82";
  std::size_t at = 0;
  EXPECT_EQ(next_code_point(text, at), U'a');
  EXPECT_EQ(next_code_point(text, at), U'\u20AC');
  EXPECT_EQ(at, 4u);
  EXPECT_EQ(next_code_point(text, at), U'\uFFFD');
  EXPECT_EQ(at, 5u);
}

TEST(Utf8, InvalidBytesBecomeTheReplacementCharacter) {
  EXPECT_EQ(to_code_points("a\xFF\xC3"), U"a\uFFFD\uFFFD");
  EXPECT_EQ(to_code_points(""), U"");
}

}  // namespace
}  // namespace dragoman
