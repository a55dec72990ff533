#include "dragoman/nn/score_saturation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dragoman::nn {
namespace {

// A mean over 200 queries is off by a few hundredths.
constexpr double kSlack = 0.08;
Saturation of(std::int64_t d_k, double variance, bool scaled) {
  return saturation({.d_k = d_k, .keys = 32, .variance = variance, .scaled = scaled, .queries = 200}, 1);
}

TEST(ScoreSaturation, ScaledScoresSpreadOverAllKeysAtAnyWidth) {
  for (const std::int64_t d_k : {16, 64, 512}) {
    const Saturation scaled = of(d_k, 0.5, true);
    EXPECT_NEAR(scaled.entropy, 3.35, 0.02) << d_k;  // log(32) is 3.47
    EXPECT_NEAR(scaled.largest, 0.08, 0.01) << d_k;
    EXPECT_NEAR(scaled.gradient, 0.96, 0.01) << d_k;
  }
}

TEST(ScoreSaturation, UnscaledScoresSaturateWithTheWidth) {
  struct Row {
    std::int64_t d_k;
    double entropy, largest, unit_entropy, unit_largest;
  };
  for (const Row& row :
       {Row{16, 2.14, 0.37, 1.08, 0.65}, Row{64, 1.09, 0.64, 0.49, 0.82}, Row{512, 0.35, 0.87, 0.16, 0.93}}) {
    SCOPED_TRACE(row.d_k);
    const Saturation initial = of(row.d_k, 0.5, false), unit = of(row.d_k, 1, false);
    EXPECT_NEAR(initial.entropy, row.entropy, kSlack);
    EXPECT_NEAR(initial.largest, row.largest, kSlack / 2);
    EXPECT_NEAR(unit.entropy, row.unit_entropy, kSlack);
    EXPECT_NEAR(unit.largest, row.unit_largest, kSlack / 2);
  }
  EXPECT_NEAR(of(64, 0.5, false).gradient, 0.49, kSlack / 2);
  EXPECT_NEAR(of(512, 0.5, false).gradient, 0.19, kSlack / 2);
}

TEST(ScoreSaturation, EqualScoresHaveTheLargestEntropy) {
  const Saturation equal = saturation({.d_k = 4, .keys = 8, .variance = 0, .queries = 1}, 1);
  EXPECT_NEAR(equal.entropy, std::log(8.0), 1e-12);
  EXPECT_NEAR(equal.largest, 1.0 / 8, 1e-12);
  EXPECT_NEAR(equal.gradient, 7.0 / 8, 1e-12);
}

}  // namespace
}  // namespace dragoman::nn
