#include "dragoman/ops/linear.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"

namespace dragoman::ops {
namespace {

// No activation, ReLU, and ReLU with dropout, for six rows.
std::vector<Activation> activations(const Workbench& bench) {
  return {{},
          {.relu = true, .dropout = {}, .segments = {}},
          {.relu = true, .dropout = Dropout::with(0.3, 1, 1, 0), .segments = bench.segments({2, 1, 3})}};
}

TEST(Linear, WorkedExample) {
  const Workbench bench;
  const Tensor x = bench.tensor({1, 2}, {1, 2}), W = bench.tensor({2, 2}, {1, -3, 1, 1}),
               b = bench.tensor({2}, {1, -1});
  EXPECT_EQ(bench.values(linear(x, W, {})), (Doubles{3, -1}));
  EXPECT_EQ(bench.values(linear(x, W, b)), (Doubles{4, -2}));
  EXPECT_EQ(bench.values(linear(x, W, b, {.relu = true, .dropout = {}, .segments = {}})), (Doubles{4, 0}));
}

TEST(Linear, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor x = bench.random({6, 4}, 1), W = bench.random({4, 9}, 2), b = bench.random({9}, 3);
  for (const Activation& activation : activations(bench)) {
    expect_gradients_match([&](auto in) { return linear(in[0], in[1], {}, activation); }, {x, W});
    expect_gradients_match([&](auto in) { return linear(in[0], in[1], in[2], activation); }, {x, W, b});
  }
}

TEST(Linear, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor x = bench.random({6, 33}, 1), W = bench.random({33, 19}, 2), b = bench.random({19}, 3);
    for (const Activation& activation : activations(bench)) {
      expect_same_function([&](auto in) { return linear(in[0], in[1], {}, activation); },
                           [&](auto in) { return plain::linear(in[0], in[1], {}, activation); }, {x, W},
                           bench.tolerance);
      expect_same_function([&](auto in) { return linear(in[0], in[1], in[2], activation); },
                           [&](auto in) { return plain::linear(in[0], in[1], in[2], activation); }, {x, W, b},
                           bench.tolerance);
    }
  });
}

TEST(Linear, ARowHasTheSameBitsInAnyBatch) {
  on_each_kernel_case([](const Workbench& bench) {
    if (bench.on->device().kind == Device::Kind::kCuda) return;  // cuBLASLt chooses its kernel by the number of rows
    const Tensor x = bench.random({300, 40}, 1), W = bench.random({40, 50}, 2), b = bench.random({50}, 3);
    const Tensor all = linear(x, W, b), one = linear(Tensor(*bench.on, x.array().row_range(123, 1)), W, b);
    EXPECT_EQ(bench.values(one), bench.values(all.array().row_range(123, 1)));
  });
}

TEST(Linear, ShapeErrorNamesBothShapes) {
  const Workbench bench;
  const Tensor x = bench.random({2, 3}, 1), W = bench.random({3, 5}, 2);
  expect_shape_error([&] { linear(x, bench.random({4, 5}, 3), {}); }, {"linear", "[2, 3]", "[4, 5]"});
  expect_shape_error([&] { linear(x, W, bench.random({4}, 3)); }, {"linear", "[3, 5]", "[4]"});
  const Activation dropout_alone{.relu = false, .dropout = Dropout::with(0.3, 1, 1, 0), .segments = {}};
  expect_shape_error([&] { linear(x, W, {}, dropout_alone); }, {"linear", "only after a ReLU"});
}

}  // namespace
}  // namespace dragoman::ops
