#include "dragoman/ops/take_rows.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/data/row_index.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/matmul.h"

namespace dragoman::ops {
namespace {

using Rows = std::vector<std::int32_t>;

// kTaken repeats a row, omits a row, and changes the order. kDistinct repeats none, as place_rows requires.
const Rows kTaken = {3, 0, 3, 1}, kDistinct = {4, 0, 2};

TEST(TakeRows, TakesRowsInTheOrderOfTheIndex) {
  const Workbench bench;
  const Tensor x = bench.tensor({4, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  EXPECT_EQ(bench.values(take_rows(x, data::row_index(*bench.on, kTaken, 4))), (Doubles{30, 31, 0, 1, 30, 31, 10, 11}));
  EXPECT_EQ(take_rows(x, data::row_index(*bench.on, {}, 4)).shape(), (Shape{0, 2}));
}

TEST(TakeRows, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor x = bench.random({4, 3}, 1);
  expect_gradients_match([&](auto in) { return take_rows(in[0], data::row_index(*bench.on, kTaken, 4)); }, {x});
  // Here another function has already written to the gradient.
  expect_gradients_match([&](auto in) { return take_rows(in[0], data::row_index(*bench.on, kTaken, 4)) + in[0]; }, {x});
  expect_gradients_match([&](auto in) { return take_rows(in[0] * 2.0, data::row_index(*bench.on, {}, 4)); }, {x});
}

TEST(TakeRows, AgreesWithAProductOfOneHotRows) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor one_hot = bench.tensor({4, 4}, {0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0});
    expect_same_function([&](auto in) { return take_rows(in[0], data::row_index(*bench.on, kTaken, 4)); },
                         [&](auto in) { return matmul(one_hot, in[0]); }, {bench.random({4, 37}, 1)}, bench.tolerance);
  });
}

TEST(PlaceRows, OtherRowsAreZero) {
  const Workbench bench;
  const Tensor x = bench.tensor({3, 1}, {7, 8, 9});
  EXPECT_EQ(bench.values(place_rows(x, data::row_index(*bench.on, kDistinct, 5))), (Doubles{8, 0, 9, 0, 7}));
}

TEST(PlaceRows, UndoesTakeRows) {
  on_each_kernel_case([](const Workbench& bench) {
    const RowIndex index = data::row_index(*bench.on, Rows{2, 0, 1}, 3);
    const Tensor x = bench.random({3, 19}, 1);
    EXPECT_EQ(bench.values(place_rows(take_rows(x, index), index)), bench.values(x));
  });
}

TEST(PlaceRows, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor x = bench.random({3, 4}, 1);
  expect_gradients_match([&](auto in) { return place_rows(in[0], data::row_index(*bench.on, kDistinct, 5)); }, {x});
  expect_gradients_match(
      [&](auto in) {
        return stack_rows({place_rows(in[0], data::row_index(*bench.on, kDistinct, 5)), in[0]});
      },
      {x});
}

TEST(TakeRows, ErrorsNameTheRowsAndShapes) {
  const Workbench bench;
  const Tensor x = bench.random({4, 3}, 1);
  expect_shape_error([&] { data::row_index(*bench.on, Rows{0, 4}, 4); }, {"row_index", "row 4", "matrix of 4"});
  expect_shape_error([&] { data::row_index(*bench.on, Rows{-1}, 4); }, {"row_index", "row -1"});
  expect_shape_error([&] { take_rows(x, data::row_index(*bench.on, kDistinct, 5)); }, {"take_rows", "[4, 3]", "of 5"});
  expect_shape_error([&] { place_rows(x, data::row_index(*bench.on, kDistinct, 5)); }, {"place_rows", "[4, 3]", "[3]"});
  expect_shape_error([&] { place_rows(x, data::row_index(*bench.on, kTaken, 4)); }, {"place_rows", "repeats a row"});
}

}  // namespace
}  // namespace dragoman::ops
