#include "dragoman/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dragoman {
namespace {

TEST(Philox, MeetsThePublishedKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Philox4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Philox4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, UniformAndNormalHaveTheExpectedMoments) {
  RandomStream random(1);
  const int count = 200000;
  double sum = 0, normal_sum = 0, normal_squares = 0;
  for (int i = 0; i < count; ++i) {
    sum += random.uniform();
    const double z = random.normal();
    normal_sum += z;
    normal_squares += z * z;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.003);
  EXPECT_NEAR(normal_sum / count, 0.0, 0.01);
  EXPECT_NEAR(normal_squares / count, 1.0, 0.02);
}

TEST(RandomStream, BelowCoversItsRangeEvenly) {
  RandomStream random(2);
  int seen[7] = {};
  for (int i = 0; i < 70000; ++i) ++seen[random.below(7)];
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);
}

TEST(RandomStream, SeedPurposeAndStreamEachChangeTheNumbers) {
  const std::uint32_t first = RandomStream(1, 2, 3).next();
  EXPECT_EQ(first, RandomStream(1, 2, 3).next());
  EXPECT_NE(first, RandomStream(2, 2, 3).next());
  EXPECT_NE(first, RandomStream(1, 3, 3).next());
  EXPECT_NE(first, RandomStream(1, 2, 4).next());
}

}  // namespace
}  // namespace dragoman
