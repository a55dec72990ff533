#include "dragoman/base/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace dragoman {
namespace {

std::string of(std::string_view text) { return base64(std::as_bytes(std::span(text))); }

TEST(Base64, MatchesTheExamplesOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foob"), "Zm9vYg==");
  EXPECT_EQ(of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xFB\xFF\xFE"), "+//+");
}

TEST(Base64, NumbersAreLittleEndian) {
  const float one = 1.0f;  // 0x3F800000
  EXPECT_EQ(base64(std::span(&one, 1)), "AACAPw==");
}

}  // namespace
}  // namespace dragoman
