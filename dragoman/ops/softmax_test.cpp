#include "dragoman/ops/softmax.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/autograd/testing.h"

namespace dragoman::ops {
namespace {

constexpr Mask kCausal{.kind = Mask::Kind::kCausal};

TEST(Softmax, RowsSumToOne) {
  on_each_kernel_case([](const Workbench& bench) {
    const Doubles y = bench.values(softmax(bench.random({3, 4}, 1)));
    for (int row = 0; row < 3; ++row) {
      EXPECT_NEAR(y[4 * row] + y[4 * row + 1] + y[4 * row + 2] + y[4 * row + 3], 1, bench.tolerance);
    }
  });
}

TEST(Softmax, AMaskedKeyGetsZero) {
  const Workbench bench;
  // Row 1 is worked out by hand: [1, 2, 3] with the third element hidden.
  const Tensor y = softmax(masked(bench.tensor({2, 3}, {1, 2, 3, 1, 2, 3}), kCausal));
  expect_near(bench.values(y), {1, 0, 0, 0.268941, 0.731059, 0}, 1e-6);
}

TEST(Softmax, ARowOfHiddenKeysIsZero) {
  const Workbench bench;
  const Tensor y = softmax(masked(bench.random({5, 2}, 1), {.kind = Mask::Kind::kCausal, .r = 2}));
  EXPECT_EQ(bench.values(y.array().row_range(3, 2)), Doubles(4, 0.0));
}

TEST(Softmax, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  expect_gradients_match([](auto x) { return softmax(x[0]); }, {bench.random({3, 5}, 1)});
  expect_gradients_match([](auto x) { return softmax(masked(x[0], kCausal)); }, {bench.random({4, 4}, 1)});
  expect_gradients_match([](auto x) { return softmax(masked(x[0], {.kind = Mask::Kind::kAll, .r = 3})); },
                         {bench.random({6, 3}, 1)});
}

TEST(LogSoftmax, IsTheLogarithmOfSoftmax) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor x = bench.random({3, 5}, 1);
    Doubles expected = bench.values(softmax(x));
    for (double& p : expected) p = std::log(p);
    expect_near(bench.values(log_softmax(x)), expected, bench.tolerance);
  });
}

TEST(LogSoftmax, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  expect_gradients_match([](auto x) { return log_softmax(x[0]); }, {bench.random({3, 5}, 1)});
}

}  // namespace
}  // namespace dragoman::ops
