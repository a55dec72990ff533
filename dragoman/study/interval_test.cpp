#include "dragoman/study/interval.h"

#include <gtest/gtest.h>

#include <array>

namespace dragoman::study {
namespace {

// From printed tables of Student's distribution.
TEST(TQuantile, EqualsThePrintedTable) {
  EXPECT_NEAR(t_quantile(1), 12.706, 5e-4);
  EXPECT_NEAR(t_quantile(2), 4.303, 5e-4);
  EXPECT_NEAR(t_quantile(3), 3.182, 5e-4);
  EXPECT_NEAR(t_quantile(4), 2.776, 5e-4);
  EXPECT_NEAR(t_quantile(5), 2.571, 5e-4);
  EXPECT_NEAR(t_quantile(10), 2.228, 5e-4);
  EXPECT_NEAR(t_quantile(29), 2.045, 5e-4);
  EXPECT_NEAR(t_quantile(120), 1.980, 5e-4);
}

// The deviations from 41.5 are 0.5, 0 and -0.5, so s = 0.5, and the half-width is 4.303 * 0.5 / sqrt(3).
TEST(MeanOf, HasTheIntervalOfStudent) {
  const std::array values{42.0, 41.5, 41.0};
  const Mean mean = mean_of(values);
  EXPECT_DOUBLE_EQ(mean.mean, 41.5);
  EXPECT_NEAR(mean.half_width.value(), 1.2421, 1e-4);
}

TEST(MeanOf, TwoValuesHaveAWideInterval) {
  const std::array values{1.0, 3.0};  // s = sqrt(2), so the half-width is 12.706 * sqrt(2) / sqrt(2)
  EXPECT_NEAR(mean_of(values).half_width.value(), 12.706, 5e-4);
}

TEST(MeanOf, OneValueHasNoInterval) {
  const std::array values{25.8};
  EXPECT_DOUBLE_EQ(mean_of(values).mean, 25.8);
  EXPECT_FALSE(mean_of(values).half_width);
}

}  // namespace
}  // namespace dragoman::study
