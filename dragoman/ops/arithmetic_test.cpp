#include "dragoman/ops/arithmetic.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"

namespace dragoman::ops {
namespace {

TEST(Arithmetic, WorkedExamples) {
  const Workbench bench;
  const Tensor a = bench.tensor({2, 2}, {1, -2, 3, 4}), b = bench.tensor({2, 2}, {10, 20, 30, 40});
  EXPECT_EQ(bench.values(a + b), (Doubles{11, 18, 33, 44}));
  EXPECT_EQ(bench.values(add_bias(a, bench.tensor({2}, {10, 20}))), (Doubles{11, 18, 13, 24}));
  EXPECT_EQ(bench.values(a * -2.0), (Doubles{-2, 4, -6, -8}));
  EXPECT_EQ(bench.values(relu(a)), (Doubles{1, 0, 3, 4}));
  EXPECT_EQ(bench.values(transpose(a)), (Doubles{1, 3, -2, 4}));
  EXPECT_EQ(bench.values(rows(a, 1, 1)), (Doubles{3, 4}));
  EXPECT_EQ(bench.values(stack_rows({a, b})), (Doubles{1, -2, 3, 4, 10, 20, 30, 40}));
  EXPECT_EQ(bench.values(concat({a, b})), (Doubles{1, -2, 10, 20, 3, 4, 30, 40}));
  EXPECT_EQ(bench.values(sum(a, 0.5)), Doubles{3});
}

TEST(Arithmetic, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor x = bench.random({5, 3}, 1), y = bench.random({5, 3}, 2), wide = bench.random({5, 4}, 3);
  expect_gradients_match([](auto in) { return in[0] + in[1]; }, {x, y});
  expect_gradients_match([](auto in) { return add_bias(in[0], in[1]); }, {x, bench.random({3}, 4)});
  expect_gradients_match([](auto in) { return in[0] * 1.5; }, {x});
  expect_gradients_match([](auto in) { return multiply(in[0], in[1]); }, {x, y});
  expect_gradients_match([](auto in) { return relu(in[0]); }, {x});
  expect_gradients_match([](auto in) { return tanh(in[0]); }, {x});
  expect_gradients_match([](auto in) { return sigmoid(in[0]); }, {x});
  for (const SelfGate gate : {SelfGate::kSilu, SelfGate::kGelu, SelfGate::kGeluTanh, SelfGate::kGeluSigmoid}) {
    expect_gradients_match([gate](auto in) { return gated(in[0], gate); }, {x});
  }
  expect_gradients_match([](auto in) { return transpose(in[0]); }, {x});
  expect_gradients_match([](auto in) { return rows(in[0], 1, 3); }, {x});
  expect_gradients_match([](auto in) { return stack_rows({in[0], in[1], in[0]}); }, {x, y});
  expect_gradients_match([](auto in) { return concat({in[0], in[1], in[0]}); }, {x, wide});
  expect_gradients_match([](auto in) { return sum(in[0], -0.3); }, {x});
}

TEST(Arithmetic, GradientsOfSeveralUsesAddUp) {
  const Workbench bench;
  const Tensor x = bench.random({4, 3}, 1);
  expect_gradients_match([](auto in) { return in[0] + relu(in[0]) + in[0] * 2.0; }, {x});
  expect_gradients_match([](auto in) { return multiply(in[0], in[0]) + tanh(in[0]) + sigmoid(in[0]); }, {x});
  expect_gradients_match([](auto in) { return in[0] + gated(in[0], SelfGate::kGelu); }, {x});
  expect_gradients_match([](auto in) { return rows(in[0], 0, 3) + rows(in[0], 1, 3); }, {x});
  expect_gradients_match([](auto in) { return columns(in[0], 0, 1) + columns(in[0] * 2.0, 1, 1); }, {x});
  expect_gradients_match([](auto in) { return stack_rows({transpose(in[0]), transpose(in[0])}); }, {x});
  expect_gradients_match(
      [](auto in) {
        relu(in[0]);  // this result is not used
        return sum(stack_rows({in[0], in[0]}), 3);
      },
      {x});
}

TEST(Dropout, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Segments segments = bench.segments({2, 1, 3});
  expect_gradients_match([&](auto in) { return dropout(in[0], segments, Dropout::with(0.4, 1, 1, 0)); },
                         {bench.random({6, 19}, 1)});
}

TEST(Dropout, WithoutDropoutTheTensorIsReturned) {
  const Workbench bench;
  const Tensor x = bench.random({2, 3}, 1);
  EXPECT_EQ(dropout(x, bench.segments({2}), {}).array().raw(), x.array().raw());
}

TEST(Dropout, KeepsTheMean) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor x = bench.tensor({100, 100}, Doubles(10000, 1.0));
    const Tensor y = dropout(x, bench.segments(std::vector<int>(10, 10)), Dropout::with(0.3, 1, 1, 0));
    EXPECT_NEAR(bench.values(sum(y, 1e-4))[0], 1, 0.02);
  });
}

TEST(Arithmetic, ShapeErrorsNameTheOpAndBothShapes) {
  const Workbench bench;
  const Tensor x = bench.random({2, 3}, 1), other = bench.random({4, 5}, 2);
  expect_shape_error([&] { x + other; }, {"add", "[2, 3]", "[4, 5]"});
  expect_shape_error([&] { multiply(x, other); }, {"multiply", "[2, 3]", "[4, 5]"});
  expect_shape_error([&] { add_bias(x, bench.random({4}, 3)); }, {"add_bias", "[2, 3]", "[4]"});
  expect_shape_error([&] { stack_rows({x, other}); }, {"stack_rows", "[2, 3]", "[4, 5]"});
  expect_shape_error([&] { concat({x, other}); }, {"concat", "[2, 3]", "[4, 5]"});
  expect_shape_error([&] { dropout(x, bench.segments({5}), {}); }, {"dropout", "[2, 3]", "5 rows"});
  expect_shape_error([&] { rows(x, 1, 2); }, {"2 rows from 1", "[2, 3]"});
  expect_shape_error([&] { transpose(bench.random({3}, 3)); }, {"[3]"});
}

TEST(Concat, TakesAnyNumberOfParts) {
  const Workbench bench;
  const Tensor x = bench.random({2, 3}, 1), y = bench.random({2, 3}, 2);
  EXPECT_THROW(concat({}), ShapeError);
  EXPECT_THROW(stack_rows({}), ShapeError);
  const auto parts = [](std::span<const Tensor> in) {
    Tensors all;
    for (int i = 0; i < 20; ++i) all.push_back(i % 3 == 0 ? in[0] : in[1]);
    return all;
  };
  const Doubles wide = bench.values(concat(parts(Tensors{x, y})));
  ASSERT_EQ(wide.size(), 2 * 20 * 3);
  EXPECT_EQ(wide[20 * 3 + 19 * 3 + 1], bench.values(y)[4]);  // row 1, column 1 of the last part
  expect_gradients_match([&](auto in) { return concat(parts(in)); }, {x, y});
  expect_gradients_match([&](auto in) { return stack_rows(parts(in)); }, {x, y});
}

}  // namespace
}  // namespace dragoman::ops
