#include "dragoman/ops/convolution.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/linear.h"

namespace dragoman::ops {
namespace {

// The columns are the value and the gate of one channel; the rows are the taps.
const Doubles kTapWeights{.5, .1, -.2, .4, .3, -.6}, kBiases{.1, -.1};
constexpr double kRounded = 5e-7;  // of worked numbers with six digits

Tensor convolved(const Workbench& bench, const Taps& taps) {
  const Tensor x = bench.tensor({3, 1}, {1, 2, -1});
  return linear(unfold_rows(x, bench.segments({3}), taps), bench.tensor({3, 2}, kTapWeights),
                bench.tensor({2}, kBiases));
}

TEST(Convolution, WorkedExample) {
  const Workbench bench;
  const Tensor centred = convolved(bench, Taps::centred(3, 1)), causal = convolved(bench, Taps::causal(3, 1));
  expect_near(bench.values(centred), {.5, -.9, -.1, 1.4, 1.3, -.3}, kRounded);
  expect_near(bench.values(glu(centred)), {.144525, -.080218, .553225}, kRounded);
  expect_near(bench.values(causal), {.4, -.7, .5, -.9, -.1, 1.4}, kRounded);
  expect_near(bench.values(glu(causal)), {.132725, .144525, -.080218}, kRounded);
}

TEST(Convolution, OneTapIsTheRowItself) {
  const Workbench bench;
  const Tensor x = bench.random({3, 4}, 1);
  EXPECT_EQ(unfold_rows(x, bench.segments({2, 1}), Taps::causal(1, 1)).array().raw(), x.array().raw());
}

TEST(UnfoldRows, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Segments segments = bench.segments({4, 1, 2});
  for (const Taps& taps : {Taps::centred(3, 1), Taps::causal(3, 2), Taps::causal(2, 1)}) {
    expect_gradients_match([&](auto in) { return unfold_rows(in[0], segments, taps); }, {bench.random({7, 3}, 1)});
  }
}

TEST(Depthwise, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Segments segments = bench.segments({4, 1, 2});
  for (const Taps& taps : {Taps::centred(3, 1), Taps::causal(3, 2), Taps::causal(2, 1)}) {
    expect_gradients_match([&](auto in) { return depthwise(in[0], segments, taps, in[1]); },
                           {bench.random({7, 3}, 1), bench.random({taps.k, 3}, 2)});
  }
}

// Column c of the product matrix has the weights of column c in the rows that column c of each tap meets.
TEST(Depthwise, IsAConvolutionWhoseMatrixIsDiagonalForEachTap) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments segments = bench.segments({4, 1, 2});
    const Taps taps = Taps::centred(3, 1);
    const Tensor x = bench.random({7, 2}, 1), w = bench.tensor({3, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor W = bench.tensor({6, 2}, {1, 0, 0, 2, 3, 0, 0, 4, 5, 0, 0, 6});
    expect_near(bench.values(depthwise(x, segments, taps, w)),
                bench.values(linear(unfold_rows(x, segments, taps), W, {})), 10 * bench.tolerance);
  });
}

TEST(Glu, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  expect_gradients_match([](auto in) { return glu(in[0]); }, {bench.random({4, 6}, 1)});
}

TEST(Glu, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    expect_same_function([](auto in) { return glu(in[0]); }, [](auto in) { return plain::glu(in[0]); },
                         {bench.random({5, 14}, 1)}, bench.tolerance);
  });
}

TEST(ScaledSum, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor x = bench.random({3, 5}, 1);
  expect_gradients_match([](auto in) { return scaled_sum(in[0], in[1], 0.7); }, {x, bench.random({3, 5}, 2)});
  expect_gradients_match([](auto in) { return scaled_sum(in[0], in[0], 0.7); }, {x});
}

TEST(ScaledSum, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    expect_same_function([](auto in) { return scaled_sum(in[0], in[1], 0.7); },
                         [](auto in) { return plain::scaled_sum(in[0], in[1], 0.7); },
                         {bench.random({5, 9}, 1), bench.random({5, 9}, 2)}, bench.tolerance);
  });
}

TEST(ScaleByRootLength, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Segments segments = bench.segments({4, 1});
  expect_gradients_match([&](auto in) { return scale_by_root_length(in[0], segments, 0.3); },
                         {bench.random({5, 2}, 1)});
}

TEST(ScaleGradient, KeepsTheValuesAndMultipliesTheGradient) {
  const Workbench bench;
  const Tensor x = bench.random({3, 2}, 1);
  const Evaluation plain = evaluate([](auto in) { return scaled_sum(in[0], in[0], 1); }, {x}),
                   scaled = evaluate([](auto in) { return scaled_sum(scale_gradient(in[0], 0.25), in[0], 1); }, {x});
  EXPECT_EQ(scaled.y, plain.y);
  expect_near(scaled.gradients[0], map(plain.gradients[0], [](double d) { return 0.625 * d; }), 1e-14);
}

}  // namespace
}  // namespace dragoman::ops
