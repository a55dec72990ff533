#include "dragoman/ops/matmul.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::ops {
namespace {

TEST(Matmul, WorkedExample) {
  const Workbench bench;
  const Tensor A = bench.tensor({2, 2}, {1, 2, 3, 4}), B = bench.tensor({2, 2}, {5, 6, 7, 8});
  EXPECT_EQ(bench.values(matmul(A, B)), (Doubles{19, 22, 43, 50}));
  EXPECT_EQ(bench.values(matmul(A, B, Transpose::kYes)), (Doubles{17, 23, 39, 53}));
}

TEST(Matmul, TransposedFactorAgreesWithTranspose) {
  on_each_kernel_case([](const Workbench& bench) {
    expect_same_function([](auto x) { return matmul(x[0], x[1], Transpose::kYes); },
                         [](auto x) { return matmul(x[0], transpose(x[1])); },
                         {bench.random({5, 3}, 1), bench.random({7, 3}, 2)}, bench.tolerance);
  });
}

TEST(Matmul, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor A = bench.random({4, 3}, 1);
  expect_gradients_match([](auto x) { return matmul(x[0], x[1]); }, {A, bench.random({3, 5}, 2)});
  expect_gradients_match([](auto x) { return matmul(x[0], x[1], Transpose::kYes); }, {A, bench.random({5, 3}, 2)});
  expect_gradients_match([](auto x) { return matmul(x[0], x[0], Transpose::kYes); }, {A});
}

TEST(Matmul, ShapeErrorNamesBothShapes) {
  const Workbench bench;
  const Tensor A = bench.random({2, 3}, 1), B = bench.random({4, 5}, 2);
  expect_shape_error([&] { matmul(A, B); }, {"matmul", "[2, 3]", "[4, 5]"});
  expect_shape_error([&] { matmul(A, B, Transpose::kYes); }, {"matmul", "[2, 3]", "[4, 5]", "transposed"});
}

}  // namespace
}  // namespace dragoman::ops
