#include "dragoman/text/file_kind.h"

#include <gtest/gtest.h>

namespace dragoman::text {
namespace {

using namespace std::string_literals;

TEST(FileKind, Utf16IsRecognisedByItsMarkOrByItsZeros) {
  EXPECT_EQ(utf16_name("\xFF\xFEo\0n\0"s), "UTF-16");
  EXPECT_EQ(utf16_name("\xFE\xFF\0o\0n"s), "UTF-16");
  EXPECT_EQ(utf16_name("o\0n\0e\0"s), "UTF-16LE");
  EXPECT_EQ(utf16_name("\0o\0n\0e"s), "UTF-16BE");
}

TEST(FileKind, TextMayHoldSomeZeros) {
  EXPECT_EQ(utf16_name("one two three"), "");
  EXPECT_EQ(utf16_name("a\0b"s), "");
  EXPECT_EQ(utf16_name("\0\0\0\0"s), "");
  EXPECT_EQ(not_text("one two three", "a.en"), "");
  EXPECT_TRUE(is_binary("one\n\xA7\x01\x02\x03\n"));
  EXPECT_FALSE(
      is_binary("sch\xF6n, gr\xFC\xDF"
                "e\n"));
  EXPECT_FALSE(is_binary("one\x01two\n"));   // is UTF-8
  EXPECT_FALSE(is_binary("one\x01tw\xC3"));  // a character may be cut
}

TEST(FileKind, StandardInputHasNoNameInTheAdvice) {
  EXPECT_EQ(not_text("o\0n\0"s, "-"), " is in UTF-16LE; convert it with 'iconv -f UTF-16LE -t UTF-8'.");
}

}  // namespace
}  // namespace dragoman::text
