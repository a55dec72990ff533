#include "dragoman/model/decoder_state.h"

#include <gtest/gtest.h>

namespace dragoman::model {
namespace {

TEST(NumberRanges, TakesTheLowestFreeRangeThatIsLongEnough) {
  NumberRanges ranges(10);
  EXPECT_EQ(ranges.take(4), 0);
  EXPECT_EQ(ranges.take(4), 4);
  EXPECT_EQ(ranges.take(4), -1);
  ranges.give_back(1, 2);
  EXPECT_EQ(ranges.take(3), -1);
  EXPECT_EQ(ranges.take(1), 1);
  EXPECT_EQ(ranges.take(2), 8);
  EXPECT_EQ(ranges.take(1), 2);
}

TEST(NumberRanges, FreedNeighboursAreMerged) {
  NumberRanges ranges(9);
  EXPECT_EQ(ranges.take(9), 0);
  for (const std::int64_t first : {3, 0, 6}) ranges.give_back(first, 3);
  EXPECT_EQ(ranges.take(9), 0);
}

TEST(NumberRanges, AnEmptyRangeHasNoNumberToTake) { EXPECT_EQ(NumberRanges(0).take(1), -1); }

}  // namespace
}  // namespace dragoman::model
