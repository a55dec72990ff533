#include "dragoman/ops/layer_norm.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"

namespace dragoman::ops {
namespace {

TEST(LayerNorm, WorkedExample) {
  const Workbench bench;
  const Tensor x = bench.tensor({1, 4}, {1, 2, 3, 4});
  const Tensor gamma = bench.tensor({4}, {1, 1, 1, 1}), beta = bench.tensor({4}, {0, 0, 0, 0});
  expect_near(bench.values(layer_norm(x, gamma, beta, 1e-6)), {-1.3416402, -0.4472134, 0.4472134, 1.3416402}, 1e-7);
  expect_near(bench.values(layer_norm(x, gamma, beta, 1e-5)), {-1.3416354, -0.4472118, 0.4472118, 1.3416354}, 1e-7);
}

TEST(LayerNorm, AConstantRowGivesBeta) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor beta = bench.random({3}, 1);
    const Tensor y = layer_norm(bench.tensor({1, 3}, {7, 7, 7}), bench.random({3}, 2), beta, 1e-6);
    EXPECT_EQ(bench.values(y), bench.values(beta));
  });
}

TEST(LayerNorm, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  for (const std::int64_t d : {2, 7, 19}) {
    expect_gradients_match([](auto x) { return layer_norm(x[0], x[1], x[2], 1e-6); },
                           {bench.random({4, d}, 1), bench.random({d}, 2), bench.random({d}, 3)});
  }
}

TEST(LayerNorm, ShapeErrorNamesTheShapes) {
  const Workbench bench;
  const Tensor x = bench.random({2, 3}, 1), gamma = bench.random({3}, 2), wide = bench.random({4}, 3);
  expect_shape_error([&] { layer_norm(x, wide, wide, 1e-6); }, {"layer_norm", "[2, 3]", "[4]"});
  expect_shape_error([&] { layer_norm(x, gamma, wide, 1e-6); }, {"layer_norm", "[2, 3]", "[3]", "[4]"});
}

}  // namespace
}  // namespace dragoman::ops
