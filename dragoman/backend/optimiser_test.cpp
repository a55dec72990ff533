#include "dragoman/backend/optimiser.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

class AdamKernel : public KernelTest {
 protected:
  void adam(const Array& g, const AdamStep& step, Array& theta, Array& m, Array& v, const Array& scale = {}) const {
    Array none;
    on->adam(g, scale, step, theta, m, v, none);
  }
  Array number(double value) const { return make_array(*on, {1}, DType::kFloat64, {value}); }
};
INSTANTIATE_TEST_SUITE_P(Devices, AdamKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

TEST_P(AdamKernel, WorkedExample) {
  Array theta = array({1}, {1}), m = zeros({1}), v = zeros({1});
  const double gradients[] = {0.1, -0.2, 0.3}, expected[] = {0.999000000, 0.999365054, 0.999023681};
  for (int t = 1; t <= 3; ++t) {
    adam(array({1}, {gradients[t - 1]}), {.rate = 1e-3, .t = t}, theta, m, v);
    expect_near(values(theta), {expected[t - 1]}, dtype() == DType::kFloat64 ? 1e-9 : 1e-7);
  }
}

TEST_P(AdamKernel, FollowsItsFormulas) {
  const AdamStep step{.rate = 0.1, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .weight_decay = 0.5, .t = 7};
  for (const std::int64_t count : {0, 1, 3, 17, 33, 513, 40001}) {
    const Array g = random({count}, 1);
    Array theta = random({count}, 2), m = random({count}, 3), v = zeros({count});
    on->scaled(g, 0.3, Sink::accumulate(v));
    on->relu(v, v);  // because a mean of squares is not negative
    Doubles thetas = values(theta), ms = values(m), vs = values(v);
    const Doubles gs = values(g);
    for (std::size_t i = 0; i < gs.size(); ++i) {
      ms[i] = 0.8 * ms[i] + 0.2 * gs[i];
      vs[i] = 0.95 * vs[i] + 0.05 * gs[i] * gs[i];
      thetas[i] -= 0.1 * 0.5 * thetas[i];
      thetas[i] -= 0.1 * (ms[i] / (1 - std::pow(0.8, 7))) / (std::sqrt(vs[i] / (1 - std::pow(0.95, 7))) + 1e-3);
    }
    adam(g, step, theta, m, v);
    expect_values(m, ms);
    expect_values(v, vs);
    expect_values(theta, thetas);
  }
}

TEST_P(AdamKernel, GradientsAreMultipliedByTheScale) {
  Array theta = array({2}, {1, 2}), m = zeros({2}), v = zeros({2});
  Array theta2 = array({2}, {1, 2}), m2 = zeros({2}), v2 = zeros({2});
  adam(array({2}, {2, -8}), {.rate = 0.1}, theta, m, v, number(0.25));
  adam(array({2}, {0.5, -2}), {.rate = 0.1}, theta2, m2, v2);
  EXPECT_EQ(values(theta), values(theta2));
  EXPECT_EQ(values(v), values(v2));
}

TEST_P(AdamKernel, AScaleOfNaNChangesNothing) {
  Array theta = array({2}, {1, 2}), m = array({2}, {3, 4}), v = array({2}, {5, 6});
  adam(array({2}, {2, -8}), {.rate = 0.1}, theta, m, v, number(std::nan("")));
  EXPECT_EQ(values(theta), (Doubles{1, 2}));
  EXPECT_EQ(values(m), (Doubles{3, 4}));
  EXPECT_EQ(values(v), (Doubles{5, 6}));
}

TEST_P(AdamKernel, TheCopyReceivesTheUpdatedParameters) {
  Array theta = random({1000}, 1), m = zeros({1000}), v = zeros({1000}), copy = zeros({1000});
  on->adam(random({1000}, 2), {}, {.rate = 0.1}, theta, m, v, copy);
  EXPECT_EQ(values(copy), values(theta));
}

TEST_P(AdamKernel, TheScaleLimitsTheNormOfTheGradientsToTheClip) {
  const auto scale_of = [&](const Doubles& losses, const Array& squares, double clip) {
    Array scale = number(0);
    on->update_scale(make_array(*on, {2}, DType::kFloat64, losses), squares, clip, scale);
    return values(scale)[0];
  };
  EXPECT_EQ(scale_of({1, 2}, number(16), 1), 0.25);
  EXPECT_EQ(scale_of({1, 2}, number(16), 5), 1);
  EXPECT_EQ(scale_of({1, 2}, number(0), 5), 1);
  EXPECT_EQ(scale_of({1, 2}, {}, 0), 1);
  EXPECT_TRUE(std::isnan(scale_of({1, std::nan("")}, {}, 0)));
  EXPECT_TRUE(std::isnan(scale_of({INFINITY, 1}, {}, 0)));
  EXPECT_TRUE(std::isnan(scale_of({1, 2}, number(INFINITY), 1)));
}

TEST_P(AdamKernel, MovingAverageFollowsItsFormula) {
  for (const std::int64_t count : {0, 1, 17, 40001}) {
    const Array x = random({count}, 1);
    Array mean = random({count}, 2);
    Doubles expected = values(mean);
    const Doubles xs = values(x);
    for (std::size_t i = 0; i < xs.size(); ++i) expected[i] = 0.75 * expected[i] + 0.25 * xs[i];
    on->moving_average(x, {}, 0.75, mean);
    expect_values(mean, expected);
  }
}

TEST_P(AdamKernel, ASkippedUpdateDoesNotChangeTheMovingAverage) {
  const Array x = array({2}, {1, 2});
  Array mean = array({2}, {3, 4});
  on->moving_average(x, number(std::nan("")), 0.5, mean);
  EXPECT_EQ(values(mean), (Doubles{3, 4}));
  on->moving_average(x, number(0.25), 0.5, mean);  // the scale of an update that was made does not matter
  EXPECT_EQ(values(mean), (Doubles{2, 3}));
}

TEST_P(AdamKernel, AParameterWithoutGradientStays) {
  Array theta = array({3}, {1, -2, 3}), m = zeros({3}), v = zeros({3});
  adam(zeros({3}), {.rate = 1}, theta, m, v);
  EXPECT_EQ(values(theta), (Doubles{1, -2, 3}));
}

TEST_P(AdamKernel, BlocksOfDifferentSizesAreRefused) {
  Array theta = zeros({3}), m = zeros({3}), v = zeros({2});
  EXPECT_THROW(adam(zeros({3}), {}, theta, m, v), ShapeError);
}

}  // namespace
}  // namespace dragoman
