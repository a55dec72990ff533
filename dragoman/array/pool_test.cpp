#include "dragoman/array/pool.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"

namespace dragoman {
namespace {

constexpr std::size_t kUnit = Arena::kAlignment;

class PoolTest : public ::testing::Test {
 protected:
  std::size_t take(std::size_t units) {
    return static_cast<std::size_t>(static_cast<char*>(pool.take(units * kUnit)) - static_cast<char*>(memory.base())) /
           kUnit;
  }
  void give_back(std::size_t unit) { pool.give_back(static_cast<char*>(memory.base()) + unit * kUnit); }

  HostReservation memory{64 * kUnit};
  Pool pool{memory, 16 * kUnit};
};

TEST_F(PoolTest, TakesTheFirstGapThatIsWideEnough) {
  EXPECT_EQ(take(2), 0u);
  EXPECT_EQ(take(3), 2u);
  EXPECT_EQ(take(1), 5u);
  give_back(0);
  give_back(2);  // units 0 to 4 are free now
  EXPECT_EQ(take(4), 0u);
  EXPECT_EQ(take(2), 6u);
  EXPECT_EQ(take(1), 4u);
}

TEST_F(PoolTest, GivingBackInAnyOrderFreesEverything) {
  const std::size_t a = take(1), b = take(2), c = take(3);
  give_back(b);
  give_back(a);
  give_back(c);
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_EQ(take(16), 0u);
}

TEST_F(PoolTest, ItsPeakIsTheEndOfTheHighestRange) {
  const std::size_t a = take(4);
  take(2);
  give_back(a);
  take(5);  // does not fit the gap of 4
  EXPECT_EQ(pool.used(), 7 * kUnit);
  EXPECT_EQ(pool.peak(), 11 * kUnit);
}

TEST_F(PoolTest, ATakeOfZeroBytesHasItsOwnAddress) { EXPECT_NE(pool.take(0), pool.take(0)); }

TEST_F(PoolTest, AFullPoolThrowsAndStaysUsable) {
  take(10);
  EXPECT_THROW(pool.take(7 * kUnit), MemoryError);
  EXPECT_THROW(pool.take(SIZE_MAX), MemoryError);
  EXPECT_EQ(take(6), 10u);
}

TEST_F(PoolTest, GiveBackAllFreesEverything) {
  take(3);
  take(4);
  pool.give_back_all();
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_EQ(take(1), 0u);
}

}  // namespace
}  // namespace dragoman
