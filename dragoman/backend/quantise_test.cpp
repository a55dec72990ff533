#include "dragoman/backend/quantise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

TEST(Quantiser, RoundsToTheNearestAndHalvesToTheEven) {
  const Quantiser whole = Quantiser::for_largest(127);
  EXPECT_EQ(whole.scale, 1);
  const std::vector<std::pair<float, int>> cases{{0.5f, 0},   {1.5f, 2},     {2.5f, 2},    {-0.5f, 0},
                                                 {-1.5f, -2}, {126.6f, 127}, {-127, -127}, {0, 0}};
  for (const auto& [x, q] : cases) EXPECT_EQ(whole(x), q) << x;
}

TEST(Quantiser, NumbersComeBackWithinHalfAStep) {
  for (const float largest : {1e-20f, 0.3f, 7.0f, 3e38f}) {
    const Quantiser quantiser = Quantiser::for_largest(largest);
    EXPECT_EQ(quantiser(largest), 127);
    EXPECT_EQ(quantiser(-largest), -127);
    for (int i = -100; i <= 100; ++i) {
      const float x = largest * (static_cast<float>(i) / 100);
      EXPECT_NEAR(static_cast<float>(quantiser(x)) * quantiser.scale / largest, x / largest, 0.501 / 127);
    }
  }
}

TEST(Quantiser, TinyNumbersBecomeZeroAndNonFiniteNumbersMakeTheScaleNaN) {
  EXPECT_EQ(Quantiser::for_largest(0).scale, 0);
  EXPECT_EQ(Quantiser::for_largest(1e-38f)(1e-38f), 0);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    LargestMagnitude largest;
    for (const float x : {1.0f, -bad, 3.0f}) largest.add(x);
    EXPECT_TRUE(std::isnan(Quantiser::for_largest(largest.value()).scale));
  }
}

}  // namespace
}  // namespace dragoman
