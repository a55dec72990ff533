#include "dragoman/ops/add_norm.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::ops {
namespace {

const Dropout kDropout = Dropout::with(0.3, 1, 1, 0);

Tensors inputs(const Workbench& bench, std::int64_t d) {
  return {bench.random({6, d}, 1), bench.random({6, d}, 2), bench.random({d}, 3), bench.random({d}, 4)};
}

// The op as a function with one result: s, y, or both side by side.
enum class Used { kS, kY, kBoth };

template <class Op>
DifferentiableFunction as_function(const Op& op, Used used, const Segments& segments, const Dropout& dropout) {
  return [=](std::span<const Tensor> x) {
    const AddNorm out = op(x[0], x[1], segments, dropout, x[2], x[3], 1e-6);
    return used == Used::kS ? out.s : used == Used::kY ? out.y : concat({out.s, out.y});
  };
}

TEST(AddNorm, SumIsTheResidual) {
  const Workbench bench;
  const Tensor x = bench.tensor({1, 2}, {1, 2}), a = bench.tensor({1, 2}, {10, 30});
  const Tensor gamma = bench.tensor({2}, {3, 3}), beta = bench.tensor({2}, {1, 1});
  const AddNorm out = add_norm(x, a, bench.segments({1}), {}, gamma, beta, 1e-12);
  EXPECT_EQ(bench.values(out.s), (Doubles{11, 32}));
  expect_near(bench.values(out.y), {-2, 4}, 1e-9);
}

TEST(AddNorm, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Segments segments = bench.segments({2, 1, 3});
  for (const Used used : {Used::kS, Used::kY, Used::kBoth}) {
    for (const Dropout& dropout : {Dropout(), kDropout}) {
      expect_gradients_match(as_function(add_norm, used, segments, dropout), inputs(bench, 5));
    }
  }
}

TEST(AddNorm, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments segments = bench.segments({2, 1, 3});
    for (const Used used : {Used::kS, Used::kY, Used::kBoth}) {
      for (const Dropout& dropout : {Dropout(), kDropout}) {
        expect_same_function(as_function(add_norm, used, segments, dropout),
                             as_function(plain::add_norm, used, segments, dropout), inputs(bench, 37),
                             4 * bench.tolerance);
      }
    }
  });
}

TEST(AddNorm, ShapeErrorNamesTheShapes) {
  const Workbench bench;
  const Tensor x = bench.random({2, 3}, 1), gamma = bench.random({3}, 2);
  const Segments segments = bench.segments({2});
  expect_shape_error(
      [&] {
        add_norm(x, bench.random({2, 4}, 3), segments, {}, gamma, gamma, 1e-6);
      },
      {"add_norm", "[2, 3]", "[2, 4]"});
  expect_shape_error([&] { add_norm(x, x, segments, {}, gamma, bench.random({4}, 3), 1e-6); },
                     {"add_norm", "[2, 3]", "[3]", "[4]"});
}

}  // namespace
}  // namespace dragoman::ops
