#include "dragoman/base/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace dragoman {
namespace {

std::string encoded(std::string_view text) { return base64(std::as_bytes(std::span(text))); }

TEST(Base64, MatchesTheExamplesOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encoded("\xFB\xFF\xFE"), "+//+");
}

TEST(Base64, NumbersAreLittleEndian) {
  const float one = 1.0f;  // 0x3F800000
  EXPECT_EQ(base64(std::span(&one, 1)), "AACAPw==");
}

}  // namespace
}  // namespace dragoman
