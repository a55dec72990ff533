#include "dragoman/optim/schedule.h"

#include <gtest/gtest.h>

namespace dragoman::optim {
namespace {

void expect_seven_digits(double actual, double expected) { EXPECT_NEAR(actual / expected, 1, 5e-7); }

TEST(Schedule, MatchesEquation3) {
  const Schedule base{.d_model = 512}, big{.d_model = 1024};
  const struct {
    std::int64_t step;
    double base, big;
  } rows[] = {
      {1, 1.746928e-07, 1.235265e-07},    {100, 1.746928e-05, 1.235265e-05},    {4000, 6.987712e-04, 4.941059e-04},
      {8000, 4.941059e-04, 3.493856e-04}, {100000, 1.397542e-04, 9.882118e-05}, {300000, 8.068715e-05, 5.705443e-05},
  };
  for (const auto& row : rows) {
    expect_seven_digits(base.rate(row.step), row.base);
    expect_seven_digits(big.rate(row.step), row.big);
  }
}

TEST(Schedule, PeaksAtTheEndOfTheWarmUp) {
  const Schedule base;
  expect_seven_digits(base.rate(3999), 6.985966e-04);
  expect_seven_digits(base.rate(4001), 6.986839e-04);
  EXPECT_LT(base.rate(3999), base.rate(4000));
  EXPECT_LT(base.rate(4001), base.rate(4000));
}

TEST(Schedule, ItsConstantIsAFactor) {
  const Schedule twice{.constant = 2};
  for (const int step : {1, 4000, 100000}) EXPECT_DOUBLE_EQ(twice.rate(step), 2 * Schedule().rate(step));
}

TEST(InverseSquareRoot, RisesToThePeakAndFallsAsTheRoot) {
  const Schedule schedule{.shape = RateShape::kInverseSquareRoot, .peak = 5e-4, .warmup_steps = 4000};
  expect_seven_digits(schedule.rate(1), 1.25e-7);
  expect_seven_digits(schedule.rate(4000), 5e-4);
  expect_seven_digits(schedule.rate(16000), 2.5e-4);
  expect_seven_digits(schedule.rate(100000), 1e-4);
}

TEST(InverseSquareRoot, StartsFromItsInitialRate) {
  const Schedule schedule{.shape = RateShape::kInverseSquareRoot, .peak = 5e-4, .initial = 1e-4, .warmup_steps = 4};
  expect_seven_digits(schedule.rate(2), 3e-4);
}

TEST(ConstantRate, StaysAtThePeakAfterTheWarmUp) {
  const Schedule schedule{.shape = RateShape::kConstant, .peak = 0.25, .warmup_steps = 4};
  EXPECT_EQ(schedule.rate(2), 0.125);
  for (const int step : {4, 5, 100000}) EXPECT_EQ(schedule.rate(step), 0.25);
}

TEST(Schedule, CoolsDownLinearlyToItsLastStep) {
  const Schedule plain{.warmup_steps = 10}, cooled{.warmup_steps = 10, .steps = 100, .cooldown_steps = 20};
  EXPECT_EQ(cooled.rate(5), plain.rate(5));
  EXPECT_EQ(cooled.rate(81), plain.rate(81));
  EXPECT_DOUBLE_EQ(cooled.rate(91), plain.rate(91) * 0.5);
  EXPECT_DOUBLE_EQ(cooled.rate(100), plain.rate(100) / 20);
  EXPECT_EQ(cooled.rate(101), 0.0);
}

TEST(Schedule, EitherShapeCoolsDown) {
  const Schedule plain{.shape = RateShape::kInverseSquareRoot, .warmup_steps = 10};
  Schedule cooled = plain;
  cooled.steps = 100;
  cooled.cooldown_steps = 20;
  EXPECT_EQ(cooled.rate(81), plain.rate(81));
  EXPECT_DOUBLE_EQ(cooled.rate(91), plain.rate(91) * 0.5);
}

}  // namespace
}  // namespace dragoman::optim
