#include "dragoman/ops/weight_norm.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"

namespace dragoman::ops {
namespace {

Tensor normed(std::span<const Tensor> x) { return weight_norm(x[0], x[1]); }

TEST(WeightNorm, WorkedExample) {
  on_each_kernel_case([](const Workbench& bench) {
    const Recording recording(*bench.on);
    const Tensor v = leaf(*bench.on, bench.tensor({2}, {3, 4}).array()),
                 g = leaf(*bench.on, bench.tensor({1}, {2}).array());
    const Tensor W = weight_norm(v, g);
    expect_near(bench.values(W), {1.2, 1.6}, bench.tolerance);
    backward(W, bench.tensor({2}, {1, 0}).array());
    expect_near(bench.values(finished_gradient(*bench.on, *g.variable())), {0.6}, bench.tolerance);
    expect_near(bench.values(finished_gradient(*bench.on, *v.variable())), {0.256, -0.192}, bench.tolerance);
  });
}

TEST(WeightNorm, ColumnsOfAMatrixHaveTheLengthsG) {
  const Workbench bench;
  const Tensor W = weight_norm(bench.tensor({2, 2}, {3, 0, 4, -5}), bench.tensor({2}, {10, 0.5}));
  expect_near(bench.values(W), {6, 0, 8, -0.5}, bench.tolerance);
}

TEST(WeightNorm, AVectorIsAMatrixOfOneColumn) {
  const Workbench bench;
  const Doubles v = random_values(19, 1);
  const Tensor g = bench.tensor({1}, {0.7});
  const Evaluation of_vector = evaluate(normed, {bench.tensor({19}, v), g}),
                   of_column = evaluate(normed, {bench.tensor({19, 1}, v), g});
  EXPECT_EQ(of_vector.y, of_column.y);
  EXPECT_EQ(of_vector.gradients, of_column.gradients);
}

TEST(WeightNorm, TheLengthOfVDoesNotMatter) {
  const Workbench bench;
  const Tensor v = bench.random({5, 3}, 1), g = bench.random({3}, 2);
  const Tensor twice = bench.tensor({5, 3}, map(bench.values(v), [](double x) { return 2 * x; }));
  expect_near(bench.values(weight_norm(twice, g)), bench.values(weight_norm(v, g)), bench.tolerance);
}

TEST(WeightNorm, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  for (const std::int64_t in : {1, 2, 7, 19}) {
    expect_gradients_match(normed, {bench.random({in}, 1), bench.random({1}, 2)});
    for (const std::int64_t out : {1, 3, 17}) {
      expect_gradients_match(normed, {bench.random({in, out}, 1), bench.random({out}, 2)});
    }
  }
}

TEST(WeightNorm, ShapeErrorNamesTheShapes) {
  const Workbench bench;
  const Tensor matrix = bench.random({2, 3}, 1), vector = bench.random({4}, 2), g = bench.random({2}, 3);
  expect_shape_error([&] { weight_norm(matrix, g); }, {"weight_norm", "[2, 3]", "g [2]"});
  expect_shape_error([&] { weight_norm(vector, g); }, {"weight_norm", "[4, 1]", "g [2]"});
}

}  // namespace
}  // namespace dragoman::ops
