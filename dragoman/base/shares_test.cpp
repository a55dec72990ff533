#include "dragoman/base/shares.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(Shares, ASingleHolderMayTakeEverything) {
  for (const std::int64_t limit : {1, 2, 3, 64, 2000}) {
    Shares shares(limit);
    for (std::int64_t i = 0; i < limit; ++i) EXPECT_TRUE(shares.take("a", 1)) << i << " of " << limit;
    EXPECT_FALSE(shares.take("a", 1));
    EXPECT_EQ(shares.held_by("a"), limit);
  }
}

TEST(Shares, ANewcomerFindsRoomAfterAnotherTookEverything) {
  Shares shares(2000);
  EXPECT_TRUE(shares.take("a", 2000));
  EXPECT_TRUE(shares.take("b", 100));
  EXPECT_TRUE(shares.take("c", 50));
  EXPECT_FALSE(shares.take("a", 1));
}

TEST(Shares, GreedyHoldersEndUpWithEqualShares) {
  Shares shares(900);
  EXPECT_TRUE(shares.take("a", 900));
  while (shares.take("b", 1)) continue;
  for (int round = 0; round < 1000; ++round) {  // one gives a unit back, and each takes it if it may
    shares.give_back("a", 1);
    while (shares.take("b", 1)) continue;
    while (shares.take("a", 1)) continue;
  }
  EXPECT_NEAR(static_cast<double>(shares.held_by("a")), static_cast<double>(shares.held_by("b")), 20);
  EXPECT_LT(shares.total(), shares.capacity());
}

TEST(Shares, AHolderThatGaveEverythingBackHoldsNothing) {
  Shares shares(10);
  shares.take_unchecked("a", 40);
  EXPECT_EQ(shares.held_by("a"), 40);
  EXPECT_TRUE(shares.take("b", 1));  // what "a" has beyond its limit does not reduce what others may take
  shares.give_back("b", 1);
  shares.give_back("a", 40);
  EXPECT_EQ(shares.held_by("a"), 0);
  EXPECT_EQ(shares.total(), 0);
  EXPECT_TRUE(shares.take("a", 10));
}

}  // namespace
}  // namespace dragoman
