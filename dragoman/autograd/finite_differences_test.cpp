#include "dragoman/autograd/finite_differences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dragoman/autograd/testing.h"

namespace dragoman {
namespace {

double* elements(const Array& x) { return x.data<double>(); }

TEST(FiniteDifferences, AgreeWithAKnownGradient) {
  const Workbench bench;
  const Array x = bench.tensor({2}, {0.3, -1.2}).array();
  const Array gradient = bench.tensor({2}, {std::cos(0.3) * std::exp(-1.2), std::sin(0.3) * std::exp(-1.2)}).array();
  const auto objective = [&] { return std::sin(elements(x)[0]) * std::exp(elements(x)[1]); };
  EXPECT_LT(finite_difference_error(*bench.on, x, gradient, objective), 1e-10);
  EXPECT_EQ(bench.values(x), (Doubles{0.3, -1.2}));
}

TEST(FiniteDifferences, ErrorIsRelativeToTheLargestDifference) {
  const Workbench bench;
  const Array x = bench.tensor({2}, {0, 0}).array(), gradient = bench.tensor({2}, {100, 2}).array();
  const auto objective = [&] { return 100 * elements(x)[0] + elements(x)[1]; };
  EXPECT_NEAR(finite_difference_error(*bench.on, x, gradient, objective), 0.01, 1e-8);
}

TEST(FiniteDifferences, ErrorIsAbsoluteWhereNothingChanges) {
  const Workbench bench;
  const Array x = bench.tensor({2}, {1, 1}).array(), gradient = bench.tensor({2}, {1e-17, 0.5}).array();
  EXPECT_EQ(finite_difference_error(*bench.on, x, gradient, [] { return 3.0; }), 0.5);
}

TEST(FiniteDifferences, WorkForColumnsOfAWiderArray) {
  const Workbench bench;
  const Array wide = bench.random({2, 5}, 1).array(), x = wide.columns(1, 2);
  const Array gradient = bench.tensor({2, 2}, {1, 2, 3, 4}).array();
  const auto objective = [&] {
    const double* w = elements(wide);
    return w[1] + 2 * w[2] + 3 * w[6] + 4 * w[7] + 50 * w[0] + 60 * w[9];
  };
  EXPECT_LT(finite_difference_error(*bench.on, x, gradient, objective), 1e-9);
}

TEST(FiniteDifferences, AvoidANearbyKink) {
  const Workbench bench;
  const Array x = bench.tensor({1}, {2e-5}).array(), gradient = bench.tensor({1}, {1}).array();
  EXPECT_LT(finite_difference_error(*bench.on, x, gradient, [&] { return std::max(0.0, elements(x)[0]); }), 1e-9);
}

TEST(FiniteDifferences, NaNGivesAnInfiniteError) {
  const Workbench bench;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array x = bench.tensor({2}, {1, 2}).array(), ones = bench.tensor({2}, {1, 1}).array();
  const auto sum = [&] { return elements(x)[0] + elements(x)[1]; };
  EXPECT_TRUE(std::isinf(finite_difference_error(*bench.on, x, bench.tensor({2}, {nan, 1}).array(), sum)));
  EXPECT_TRUE(std::isinf(finite_difference_error(*bench.on, x, ones, [&] { return nan; })));
}

// y = factor x, with a backward that computes dx = slope dy.
Tensor scaled(const Tensor& x, double factor, double slope) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.scaled(x.array(), factor, Sink::overwrite(y));
  return record(y, {x}, [&on, slope](const Array& dy, Sinks& d) { on.scaled(dy, slope, d.into(0)); });
}

// The sum of all elements, which is one number like a loss.
Tensor sum(const Tensor& x) {
  Backend& on = x.backend();
  Array total = on.empty({1}, DType::kFloat64);
  on.sum(x.array(), 1.0, Sink::overwrite(total));
  return record(total, {x}, [&on](const Array&, Sinks& d) {
    Array dx = d.into(0).array;
    on.fill(dx, 1.0);
  });
}

TEST(GradientError, IsSmallForARightBackwardAndLargeForAWrongOne) {
  const Workbench bench;
  const Array inputs[] = {bench.random({3, 2}, 1).array()};
  EXPECT_LT(gradient_error(*bench.on, inputs, [](auto x) { return scaled(x[0], 2, 2); }), 1e-9);
  EXPECT_NEAR(gradient_error(*bench.on, inputs, [](auto x) { return scaled(x[0], 2, 1.9); }), 0.05, 1e-8);
}

TEST(GradientError, WorksForALoss) {
  const Workbench bench;
  const Array inputs[] = {bench.random({3, 2}, 1).array()};
  EXPECT_LT(gradient_error(*bench.on, inputs, [](auto x) { return sum(scaled(x[0], 2, 2)); }), 1e-9);
  EXPECT_NEAR(gradient_error(*bench.on, inputs, [](auto x) { return sum(scaled(x[0], 2, 1)); }), 0.5, 1e-8);
}

TEST(GradientError, AnUnusedInputHasAZeroGradient) {
  const Workbench bench;
  const Array inputs[] = {bench.random({3}, 1).array(), bench.random({3}, 2).array()};
  EXPECT_LT(gradient_error(*bench.on, inputs, [](auto x) { return scaled(x[0], 2, 2); }), 1e-9);
}

TEST(GradientError, GivesAllMemoryBack) {
  const Workbench bench;
  const Array inputs[] = {bench.random({3}, 1).array()};
  const std::size_t used = bench.on->arena().used();
  gradient_error(*bench.on, inputs, [](auto x) { return scaled(x[0], 2, 2); });
  EXPECT_EQ(bench.on->arena().used(), used);
  EXPECT_EQ(bench.on->host_arena().used(), 0u);
  EXPECT_EQ(bench.on->gradients().used(), 0u);
}

}  // namespace
}  // namespace dragoman
