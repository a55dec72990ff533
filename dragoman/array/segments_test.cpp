#include "dragoman/array/segments.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

// The keys that query i of n sees, as a picture: x for a visible key, . for a hidden one.
std::string picture(const Mask& mask, std::int64_t i, std::int64_t n) {
  std::string keys(static_cast<std::size_t>(n), '.');
  for (std::int64_t j = mask.first_key(i); j < mask.end_key(i, n); ++j) keys[static_cast<std::size_t>(j)] = 'x';
  return keys;
}

TEST(Mask, WithoutLimitsEveryQuerySeesEveryKey) {
  EXPECT_EQ(picture({}, 0, 4), "xxxx");
  EXPECT_EQ(picture({}, 9, 4), "xxxx");  // queries and keys may come from different texts, so i may be beyond the keys
}

TEST(Mask, CausalHidesTheFuture) {
  const Mask causal{.kind = Mask::Kind::kCausal};
  EXPECT_EQ(picture(causal, 0, 4), "x...");
  EXPECT_EQ(picture(causal, 2, 4), "xxx.");
  EXPECT_EQ(picture(causal, 3, 4), "xxxx");
}

TEST(Mask, ANeighbourhoodReachesHalfItsSizeEachWay) {
  EXPECT_EQ(picture({.r = 3}, 2, 6), ".xxx..");
  EXPECT_EQ(picture({.r = 3}, 0, 6), "xx....");
  EXPECT_EQ(picture({.r = 2}, 5, 6), "....xx");
  EXPECT_EQ(picture({.r = 1}, 3, 6), "...x..");
}

TEST(Mask, ACausalNeighbourhoodIsTheLastKeys) {
  const Mask causal{.kind = Mask::Kind::kCausal, .r = 2};
  EXPECT_EQ(picture(causal, 0, 4), "x...");
  EXPECT_EQ(picture(causal, 3, 4), "..xx");
}

TEST(Mask, ABlockSeesItself) {
  const Mask blocks{.r = 3, .window = Mask::Window::kBlock};
  for (const std::int64_t i : {0, 1, 2}) EXPECT_EQ(picture(blocks, i, 8), "xxx.....");
  EXPECT_EQ(picture(blocks, 3, 8), "...xxx..");
  EXPECT_EQ(picture(blocks, 7, 8), "......xx");  // the last block is shorter
  EXPECT_EQ(picture(blocks, 9, 8), "........");  // a query beyond the keys, in a block without any
}

TEST(Mask, ACausalBlockHidesItsFuture) {
  const Mask blocks{.kind = Mask::Kind::kCausal, .r = 3, .window = Mask::Window::kBlock};
  EXPECT_EQ(picture(blocks, 2, 8), "xxx.....");
  EXPECT_EQ(picture(blocks, 3, 8), "...x....");
  EXPECT_EQ(picture(blocks, 4, 8), "...xx...");
  EXPECT_EQ(picture(blocks, 7, 8), "......xx");
}

// r = 2 n - 1 reaches n - 1 keys each way, from the first query to the last key.
TEST(Mask, ANeighbourhoodOfTwiceTheSentenceIsAllOfIt) {
  for (std::int64_t n = 1; n < 6; ++n) {
    for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(picture({.r = 2 * n - 1}, i, n), picture({}, i, n));
  }
}

}  // namespace
}  // namespace dragoman
