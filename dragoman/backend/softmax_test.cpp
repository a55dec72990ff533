#include "dragoman/backend/softmax.h"

#include <gtest/gtest.h>

#include <limits>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using SoftmaxKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, SoftmaxKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);
using SoftmaxKernelInDouble = KernelTestInDouble;
INSTANTIATE_TEST_SUITE_P(Devices, SoftmaxKernelInDouble, ::testing::ValuesIn(double_cases()), kernel_case_name);

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
const std::vector<Shape> kShapes = {{0, 3}, {1, 1}, {1, 33}, {5, 3}, {70, 17}, {3, 513}};

TEST_P(SoftmaxKernel, WorkedExample) {
  Array y = zeros({2, 3});
  on->softmax(array({2, 3}, {1, 2, kMinusInfinity, kMinusInfinity, kMinusInfinity, kMinusInfinity}), y);
  expect_near(values(y), {0.268941, 0.731059, 0, 0, 0, 0}, 1e-6);
}

TEST_P(SoftmaxKernel, RowsSumToOneAndLogarithmsAgree) {
  for (const Shape& shape : kShapes) {
    const Array x = random_view(shape, 1);
    Array y = random_view(shape, 2), log_y = zeros(shape);
    on->softmax(x, y);
    on->log_softmax(x, log_y);
    const Doubles p = values(y), log_p = values(log_y), logits = values(x);
    const auto d = static_cast<std::size_t>(shape.cols());
    for (std::size_t row = 0; row < p.size(); row += d) {
      double sum = 0, expected_sum = 0;
      for (std::size_t i = row; i < row + d; ++i) expected_sum += std::exp(logits[i]);
      for (std::size_t i = row; i < row + d; ++i) {
        sum += p[i];
        EXPECT_NEAR(p[i], std::exp(logits[i]) / expected_sum, tolerance());
        EXPECT_NEAR(log_p[i], logits[i] - std::log(expected_sum), tolerance());
      }
      EXPECT_NEAR(sum, 1, tolerance());
    }
  }
}

TEST_P(SoftmaxKernel, LargeLogitsDoNotOverflow) {
  Array y = zeros({1, 2});
  on->softmax(array({1, 2}, {30000, 29998}), y);
  expect_near(values(y), {0.880797, 0.119203}, 1e-6);
  on->log_softmax(array({1, 2}, {30000, 29998}), y);
  expect_near(values(y), {-0.126928, -2.126928}, 1e-5);
}

TEST_P(SoftmaxKernel, MaskedHidesWhatAQueryMayNotSee) {
  const Array x = array({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  Array y = zeros({3, 3});
  on->masked(x, {.kind = Mask::Kind::kCausal}, y);
  EXPECT_EQ(values(y), (Doubles{1, kMinusInfinity, kMinusInfinity, 4, 5, kMinusInfinity, 7, 8, 9}));
  on->masked(x, {.kind = Mask::Kind::kCausal, .r = 1}, y);
  EXPECT_EQ(values(y), (Doubles{1, kMinusInfinity, kMinusInfinity, kMinusInfinity, 5, kMinusInfinity, kMinusInfinity,
                                kMinusInfinity, 9}));
  on->masked(x, {.kind = Mask::Kind::kAll, .r = 2}, y);
  EXPECT_EQ(values(y), (Doubles{1, 2, kMinusInfinity, 4, 5, 6, kMinusInfinity, 8, 9}));
  expect_in_every_sink({3, 3}, {1, 0, 0, 4, 5, 0, 7, 8, 9},
                       [&](Sink dx) { on->masked_backward(x, {.kind = Mask::Kind::kCausal}, dx); });
}

TEST_P(SoftmaxKernel, AWindowBeyondTheKeysSeesNone) {
  const Array x = random({6, 2}, 1);
  Array y = zeros({6, 2});
  on->masked(x, {.kind = Mask::Kind::kCausal, .r = 2}, y);
  EXPECT_EQ(values(y.row_range(4, 2)), Doubles(4, kMinusInfinity));
  on->softmax(y, y);
  EXPECT_EQ(values(y.row_range(4, 2)), Doubles(4, 0.0));
}

TEST_P(SoftmaxKernel, BackwardFollowsItsFormulas) {
  for (const Shape& shape : kShapes) {
    const Array x = random(shape, 1), dy = random_view(shape, 2);
    Array y = random_view(shape, 3), log_y = random_view(shape, 3);
    on->softmax(x, y);
    on->log_softmax(x, log_y);
    const Doubles p = values(y), d_out = values(dy);
    const auto d = static_cast<std::size_t>(shape.cols());
    Doubles dx, log_dx;
    for (std::size_t i = 0; i < p.size(); ++i) {
      double weighted = 0, plain = 0;
      for (std::size_t j = i / d * d; j < i / d * d + d; ++j) {
        weighted += d_out[j] * p[j];
        plain += d_out[j];
      }
      dx.push_back(p[i] * (d_out[i] - weighted));
      log_dx.push_back(d_out[i] - p[i] * plain);
    }
    expect_in_every_sink(shape, dx, [&](Sink sink) { on->softmax_backward(dy, y, sink); });
    expect_in_every_sink(shape, log_dx, [&](Sink sink) { on->log_softmax_backward(dy, log_y, sink); });
  }
}

TEST_P(SoftmaxKernelInDouble, GradientMatchesFiniteDifferences) {
  const Shape shape{2, 5};
  const Doubles x = random_values(10, 1), dy = random_values(10, 2);
  const auto forward = [&](const Doubles& at, bool logarithm) {
    Array y = zeros(shape);
    logarithm ? on->log_softmax(array(shape, at), y) : on->softmax(array(shape, at), y);
    return y;
  };
  const Array dx = zeros(shape), log_dx = zeros(shape);
  on->softmax_backward(array(shape, dy), forward(x, false), Sink::overwrite(dx));
  on->log_softmax_backward(array(shape, dy), forward(x, true), Sink::overwrite(log_dx));
  for (const bool logarithm : {false, true}) {
    const auto loss = [&](const Doubles& at) { return dot(dy, values(forward(at, logarithm))); };
    expect_near(values(logarithm ? log_dx : dx), central_differences(loss, x), 1e-8);
  }
}

TEST_P(SoftmaxKernel, SmoothedLossWorkedExample) {
  const Array logits = array({2, 5}, {2, 1, 0, -1, 0.5, 0, 0, 0, 0, 0}), targets = integers({0, -1});
  Array log_p = zeros({2, 5}), losses = zeros({2});
  on->log_softmax(logits, log_p);
  expect_near(values(log_p.row_range(0, 1)), {-0.574438, -1.574438, -2.574438, -3.574438, -2.074438}, 1e-6);
  on->smoothed_nll(log_p, targets, {.epsilon = 0.1, .form = LabelSmoothing::Form::kRest}, losses);
  expect_near(values(losses), {0.761938, 0}, 1e-6);
  on->smoothed_nll(log_p, targets, {.epsilon = 0.1, .form = LabelSmoothing::Form::kUniform}, losses);
  expect_near(values(losses), {0.724438, 0}, 1e-6);
  on->smoothed_nll(log_p, targets, {.epsilon = 0}, losses);
  expect_near(values(losses), {0.574438, 0}, 1e-6);

  const Array dlog_p = zeros({2, 5}), dlogits = zeros({2, 5});
  on->smoothed_nll_backward(1, targets, {}, Sink::overwrite(dlog_p));
  on->log_softmax_backward(dlog_p, log_p, Sink::overwrite(dlogits));
  expect_near(values(dlogits), {-0.336979, 0.182124, 0.051197, 0.003031, 0.100627, 0, 0, 0, 0, 0}, 1e-6);
}

TEST_P(SoftmaxKernel, SmoothedLossGradientIsMinusTheTargetDistribution) {
  expect_in_every_sink({3, 5}, {-0.05, -0.05, -1.8, -0.05, -0.05, 0, 0, 0, 0, 0, -0.05, -0.05, -0.05, -0.05, -1.8},
                       [&](Sink d) {
                         on->smoothed_nll_backward(2, integers({2, -1, 4}), {.epsilon = 0.1}, d);
                       });
}

TEST_P(SoftmaxKernel, WithoutSmoothingAnImpossibleClassCostsNothing) {
  Array log_p = zeros({1, 2}), losses = zeros({1});
  on->log_softmax(array({1, 2}, {1, kMinusInfinity}), log_p);
  EXPECT_EQ(values(log_p), (Doubles{0, kMinusInfinity}));
  on->smoothed_nll(log_p, integers({0}), {.epsilon = 0}, losses);
  EXPECT_EQ(values(losses), Doubles{0});
}

TEST_P(SoftmaxKernel, SameBitsWithAnyThreads) {
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
    Array y = make_array(backend, {100, 77}, dtype(), random_values(7700, 1));
    backend.softmax(y, y);
    return values_of(backend, y);
  });
}

}  // namespace
}  // namespace dragoman
