#include "dragoman/array/shape.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"

namespace dragoman {
namespace {

TEST(Shape, EveryShapeReadsAsAMatrix) {
  const Shape cube{2, 3, 4};
  EXPECT_EQ(cube.count(), 24);
  EXPECT_EQ(cube.rows(), 6);
  EXPECT_EQ(cube.cols(), 4);
  EXPECT_EQ(Shape{5}.rows(), 1);
  EXPECT_EQ(Shape{5}.cols(), 5);
}

TEST(Shape, AxesCountFromEitherEnd) {
  const Shape shape{2, 3};
  EXPECT_EQ(shape.dim(1), 3);
  EXPECT_EQ(shape.dim(-1), 3);
  EXPECT_EQ(shape.dim(-2), 2);
  EXPECT_THROW(shape.dim(2), ShapeError);
  EXPECT_THROW(shape.dim(-3), ShapeError);
}

TEST(Shape, AShapeWithoutAxesHasOneElement) {
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape().count(), 1);
}

TEST(Shape, AnAxisMayBeEmpty) { EXPECT_EQ((Shape{0, 7}).count(), 0); }

TEST(Shape, RefusesNegativeAndOverflowingSizesAndTooManyAxes) {
  EXPECT_THROW((Shape{2, -1}), ShapeError);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1}), ShapeError);
  EXPECT_THROW((Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}), ShapeError);
}

TEST(Shape, PrintsItsAxes) { EXPECT_EQ(join(Shape{2, 3}), "[2, 3]"); }

}  // namespace
}  // namespace dragoman
