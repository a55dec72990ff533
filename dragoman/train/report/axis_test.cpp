#include "dragoman/train/report/axis.h"

#include <gtest/gtest.h>

namespace dragoman::train {
namespace {

TEST(LinearTicks, AreRound) {
  EXPECT_EQ(linear_ticks(0, 3000, 5), (std::vector<double>{0, 1000, 2000, 3000}));
  EXPECT_EQ(linear_ticks(-0.3, 0.25, 5), (std::vector<double>{-0.2, 0, 0.2}));
}

TEST(LogTicks, FollowTheDecades) {
  EXPECT_EQ(log_ticks(3, 150, 5), (std::vector<double>{5, 10, 20, 50, 100}));
  EXPECT_EQ(log_ticks(1, 1e5, 5).size(), 6u);
  EXPECT_LE(log_ticks(1, 1e40, 5).size(), 7u);
  EXPECT_EQ(log_ticks(11, 14, 5), linear_ticks(11, 14, 5));
}

}  // namespace
}  // namespace dragoman::train
