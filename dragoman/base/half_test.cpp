#include "dragoman/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dragoman {
namespace {

TEST(Half, Float16HasTheKnownValues) {
  EXPECT_EQ(float_from_float16(0x3C00), 1.0f);
  EXPECT_EQ(float_from_float16(0xC000), -2.0f);
  EXPECT_EQ(float_from_float16(0x7BFF), 65504.0f);  // the largest
  EXPECT_EQ(float_from_float16(0x0400), 0x1p-14f);  // the smallest normal number
  EXPECT_EQ(float_from_float16(0x0001), 0x1p-24f);  // the smallest denormal number
  EXPECT_EQ(float_from_float16(0x3555), 0.333251953125f);
  EXPECT_TRUE(std::signbit(float_from_float16(0x8000)));
  EXPECT_EQ(float_from_float16(0x8000), 0.0f);
  EXPECT_EQ(float_from_float16(0xFC00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(float_from_float16(0x7E00)));
}

// (-1)^s 2^(e - 15) (1 + f / 1024), or 2^-14 f / 1024 if e is 0.
TEST(Half, EveryFiniteFloat16FollowsItsDefinition) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = (bits & 1023) / 1024.0;
    if (exponent == 31) continue;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    ASSERT_EQ(float_from_float16(static_cast<std::uint16_t>(bits)), bits >> 15 == 0 ? magnitude : -magnitude) << bits;
  }
}

TEST(Half, BFloat16IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(float_from_bfloat16(0x3F80), 1.0f);
  EXPECT_EQ(float_from_bfloat16(0xC040), -3.0f);
}

}  // namespace
}  // namespace dragoman
