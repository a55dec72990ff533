#include "dragoman/array/array.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "dragoman/base/asserts.h"

namespace dragoman {
namespace {

// x holds the elements 0, 1, 2, ... in rows of four.
class ArrayTest : public ::testing::Test {
 protected:
  ArrayTest() { std::iota(elements.begin(), elements.end(), 0.0f); }

  std::array<float, 12> elements;
  Array x{elements.data(), {3, 4}, DType::kFloat32, Device{}};
};

TEST_F(ArrayTest, ColumnsAreAViewThatKeepsTheRowStride) {
  const Array view = x.columns(1, 2);
  EXPECT_EQ(view.shape(), (Shape{3, 2}));
  EXPECT_EQ(view.row_stride(), 4);
  EXPECT_FALSE(view.contiguous());
  EXPECT_EQ(view.data<float>()[0], 1);
  EXPECT_EQ(view.data<float>()[view.row_stride()], 5);
  EXPECT_EQ(view.columns(1, 1).data<float>()[0], 2);
}

TEST_F(ArrayTest, RowsOfAViewOfColumnsKeepItsStride) {
  const Array view = x.columns(2, 2).row_range(1, 2);
  EXPECT_EQ(view.data<float>()[0], 6);
  EXPECT_EQ(view.data<float>()[view.row_stride() + 1], 11);
}

TEST_F(ArrayTest, OneRowIsContiguousWhateverItsStride) { EXPECT_TRUE(x.columns(1, 2).row_range(2, 1).contiguous()); }

TEST_F(ArrayTest, ReshapingKeepsTheOrderOfElements) {
  const Array y = x.reshaped({2, 6});
  EXPECT_EQ(y.data<float>()[y.row_stride()], 6);
  EXPECT_THROW(x.reshaped({5}), ShapeError);
  EXPECT_THROW(x.columns(0, 2).reshaped({6}), ShapeError);
}

TEST_F(ArrayTest, RefusesRangesOutsideTheArray) {
  EXPECT_THROW(x.columns(3, 2), ShapeError);
  EXPECT_THROW(x.columns(-1, 2), ShapeError);
  EXPECT_THROW(x.row_range(2, 2), ShapeError);
  EXPECT_NO_THROW(x.row_range(3, 0));
}

TEST_F(ArrayTest, ReadingAnotherElementTypeNamesBoth) {
  try {
    x.data<double>();
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "an array of float32 was read as float64");
  }
}

TEST_F(ArrayTest, IsAbsentWithoutMemory) {
  EXPECT_TRUE(Array().absent());
  EXPECT_FALSE(Array());
  EXPECT_TRUE(x);
}

TEST(ArrayDeathTest, ADebugBuildCatchesUseAfterTheMemoryWasGivenBack) {
  if (!asserts_are_on()) GTEST_SKIP() << "this build has no asserts";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  HostReservation memory(4096);
  Arena arena(memory);
  const Array x(arena.push(16), {4}, DType::kFloat32, Device{}, &arena);
  arena.pop_to(0);
  EXPECT_DEATH(x.data<float>(), "given back");
}

}  // namespace
}  // namespace dragoman
