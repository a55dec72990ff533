#include "dragoman/study/ablate/estimate.h"

#include <gtest/gtest.h>

#include <vector>

namespace dragoman::study::ablate {
namespace {

TEST(SecondsLeft, IsUnknownBeforeTheFirstStep) {
  const std::vector<RunState> runs{{.row = "base", .steps = 100}};
  EXPECT_FALSE(seconds_left(runs, 1));
  EXPECT_EQ(share_done(runs), 0);
}

// base took 2 seconds a step. The row costs three times as much, so its 10 steps take 60 seconds; base's other seed
// takes 20.
TEST(SecondsLeft, TakesMeasuredSpeedsAndScalesOthersByCost) {
  std::vector<RunState> runs{{.row = "base", .steps = 10, .done = 10, .seconds = 20, .is_over = true},
                             {.row = "base", .steps = 10},
                             {.row = "big", .cost = 3, .steps = 10}};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1).value(), 80);
  EXPECT_DOUBLE_EQ(share_done(runs), 0.2);
  // The row turns out to be quicker than its cost says: one second a step. Half of it is done.
  runs[2].done = 5;
  runs[2].seconds = 5;
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1).value(), 25);
  EXPECT_DOUBLE_EQ(share_done(runs), 0.5);
}

TEST(SecondsLeft, CannotBeLessThanTheLongestRun) {
  const std::vector<RunState> runs{{.row = "base", .steps = 10, .done = 5, .seconds = 5},
                                   {.row = "big", .cost = 4, .steps = 10}};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1).value(), 45);
  EXPECT_DOUBLE_EQ(seconds_left(runs, 2).value(), 40);
  EXPECT_DOUBLE_EQ(seconds_left(runs, 8).value(), 40);
}

TEST(SecondsLeft, CountsEvaluations) {
  const std::vector<RunState> runs{
      {.row = "base", .steps = 10, .done = 10, .seconds = 10, .evaluation_seconds = 3, .is_over = true},
      {.row = "base", .steps = 10, .done = 10, .seconds = 10},
      {.row = "base", .steps = 10, .done = 8, .seconds = 8}};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1).value(), 3 + 2 + 3);
}

TEST(SecondsLeft, EndsAtTheLimitOfMinutes) {
  const std::vector<RunState> runs{{.row = "base", .steps = 100000, .minutes = 1, .done = 10, .seconds = 15}};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1).value(), 45);
  EXPECT_DOUBLE_EQ(share_done(runs), 0.25);
}

}  // namespace
}  // namespace dragoman::study::ablate
