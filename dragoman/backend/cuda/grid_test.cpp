#include "dragoman/backend/cuda/grid.h"

#include <gtest/gtest.h>

namespace dragoman::cuda {
namespace {

constexpr std::int64_t kMostX = 2147483647, kMost = 65535;  // of CUDA

TEST(Grid, MayBeAsLargeAsCudaAllows) {
  EXPECT_NO_THROW(Grid(kMostX, kMost, kMost).check());
  EXPECT_NO_THROW(Grid(0).check());
}

// As unsigned numbers of 32 bits, most of these would be small.
TEST(Grid, IsRefusedAboveThat) {
  for (const std::int64_t x : {kMostX + 1, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1}) {
    EXPECT_THROW(Grid(x).check(), ShapeError) << x;
    EXPECT_THROW(Grid(1, x).check(), ShapeError) << x;
    EXPECT_THROW(Grid(1, 1, x).check(), ShapeError) << x;
  }
  EXPECT_THROW(Grid(1, kMost + 1).check(), ShapeError);
  EXPECT_THROW(Grid(1, 1, kMost + 1).check(), ShapeError);
}

TEST(Grid, IsEmptyIfAnyAxisIs) {
  EXPECT_TRUE(Grid(0).empty());
  EXPECT_TRUE(Grid(5, 0).empty());
  EXPECT_TRUE(Grid(5, 1, 0).empty());
  EXPECT_FALSE(Grid(5).empty());
}

}  // namespace
}  // namespace dragoman::cuda
