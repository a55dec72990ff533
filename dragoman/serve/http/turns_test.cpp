#include "dragoman/serve/http/turns.h"

#include <gtest/gtest.h>

namespace dragoman::serve {
namespace {

TEST(Turns, AClientWithManyItemsDoesNotDelayOthers) {
  Turns<int> turns;
  for (int i = 0; i < 100; ++i) turns.add("a", i);
  EXPECT_EQ(turns.next(), 0);
  turns.add("b", 1000);
  turns.add("c", 2000);
  turns.add("b", 1001);
  EXPECT_EQ(turns.next(), 1);
  EXPECT_EQ(turns.next(), 1000);
  EXPECT_EQ(turns.next(), 2000);
  EXPECT_EQ(turns.next(), 2);
  EXPECT_EQ(turns.next(), 1001);
  for (int i = 3; i < 100; ++i) EXPECT_EQ(turns.next(), i);
  EXPECT_TRUE(turns.empty());
}

}  // namespace
}  // namespace dragoman::serve
