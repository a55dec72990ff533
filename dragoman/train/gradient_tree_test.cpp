#include "dragoman/train/gradient_tree.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman::train {
namespace {

TEST(GradientTree, HasALeafForEachPowerOfTwoInTheNumberOfBatches) {
  EXPECT_EQ(tree_levels(1), 0);
  EXPECT_EQ(tree_levels(3), 0);
  EXPECT_EQ(tree_levels(4), 2);
  EXPECT_EQ(tree_levels(12), 2);
}

TEST(GradientTree, AddsNeighboursFirst) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  const Array sum = on->empty({1}, DType::kFloat32);
  GradientTree tree(*on, std::span(&sum, 1), 2);
  // With kEps half the distance from 2 to the next number, (1 + 1) + (kEps + kEps) is above 2, but every other order
  // is 2.
  constexpr float kEps = 0x1p-23F;
  for (int round = 0; round < 2; ++round) {
    for (const float leaf : {1.0F, 1.0F, kEps, kEps}) {
      Array to = sum;
      on->copy_in(&leaf, to);
      tree.add_leaf();
    }
    EXPECT_EQ(values_of(*on, sum).front(), double{2 + 2 * kEps});
  }
}

TEST(Shares, OfManyProcessesDivideThoseOfFewer) {
  for (const std::int64_t count : {0, 32, 96, 1000, 4096}) {
    const Share whole{0, count};
    std::int64_t next = 0;
    for (const Share& half : shares_of(whole, 1)) {
      for (const Share& share : shares_of(half, 2)) {
        EXPECT_EQ(share.first, next);
        EXPECT_TRUE(share.count == 0 || share.first % 32 == 0);
        next += share.count;
      }
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace dragoman::train
