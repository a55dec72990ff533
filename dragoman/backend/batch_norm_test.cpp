// Batch normalisation: the kernels whose formulas ops/batch_norm_test.cpp does not cover.
#include <gtest/gtest.h>

#include <limits>

#include "dragoman/backend/norm.h"
#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using BatchNormKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, BatchNormKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

TEST_P(BatchNormKernel, StatisticsFollowTheirFormulas) {
  for (const std::int64_t d : {1, 3, 65, 130}) {
    for (const std::int64_t R : {1, 31, 33, 300, 700}) {
      for (const std::int64_t padding : {0, 5, 1000}) {
        SCOPED_TRACE(join(R, " rows, ", d, " columns, padding ", padding));
        const Array x = random_view({R, d}, 1);
        Array mean = zeros({d}), variance = zeros({d});
        on->batch_statistics(x, padding, mean, variance);
        const Doubles rows = values(x);
        Doubles means, variances;
        for (std::int64_t c = 0; c < d; ++c) {
          double sum = 0, squares = 0;
          for (std::size_t i = static_cast<std::size_t>(c); i < rows.size(); i += static_cast<std::size_t>(d)) {
            sum += rows[i];
            squares += rows[i] * rows[i];
          }
          const auto N = static_cast<double>(R + padding);
          means.push_back(sum / N);
          variances.push_back(squares / N - sum / N * (sum / N));
        }
        expect_values(mean, means);
        expect_values(variance, variances);
      }
    }
  }
}

TEST_P(BatchNormKernel, ALargeMeanCostsNoPrecision) {
  const Array x = array({4, 1}, {1001, 1002, 1003, 1004});
  Array mean = zeros({1}), variance = zeros({1});
  on->batch_statistics(x, 0, mean, variance);
  expect_near(values(mean), {1002.5}, 1e-7);
  expect_near(values(variance), {1.25}, 1e-6);
}

// Blocks are joined as a tree. Joined one after another, each of these thousands would round the sums of all before it.
TEST_P(BatchNormKernel, ManyRowsCostNoPrecision) {
  constexpr std::int64_t kRows = 100'000;
  Doubles rising;
  double sum = 0, squares = 0;
  for (std::int64_t r = 0; r < kRows; ++r) {
    rising.push_back(static_cast<float>(1000 + 1e-4 * static_cast<double>(r)));
    sum += rising.back() - 1000;
  }
  const double exact = 1000 + sum / kRows;
  for (const double x : rising) squares += (x - exact) * (x - exact);
  const Array x = array({kRows, 1}, rising);
  Array mean = zeros({1}), variance = zeros({1});
  on->batch_statistics(x, 0, mean, variance);
  expect_near(values(mean), {exact}, 1e-7);
  expect_near(values(variance), {squares / kRows}, 2e-5);
}

TEST_P(BatchNormKernel, AConstantColumnHasVarianceZero) {
  const Array x = array({3, 1}, {7, 7, 7});
  Array mean = zeros({1}), variance = zeros({1});
  on->batch_statistics(x, 0, mean, variance);
  EXPECT_EQ(values(variance), Doubles{0});
}

TEST_P(BatchNormKernel, StatisticsDoNotDependOnThreads) {
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
    const Array x = make_array(backend, {500, 70}, dtype(), random_values(500 * 70, 1));
    Array mean = backend.empty({70}, dtype()), variance = backend.empty({70}, dtype());
    backend.batch_statistics(x, 3, mean, variance);
    Doubles all = values_of(backend, mean);
    const Doubles second = values_of(backend, variance);
    all.insert(all.end(), second.begin(), second.end());
    return all;
  });
}

TEST_P(BatchNormKernel, RunningValuesMoveATenthOfTheWay) {
  const Array mean = array({2}, {4, 8}), variance = array({2}, {5, 20});
  const Array running_mean = zeros({2}), running_variance = array({2}, {1, 1});
  on->update_running_statistics(mean, variance, 4, 0.1, running_mean, running_variance);
  expect_near(values(running_mean), {.4, .8}, 5e-7);
  expect_near(values(running_variance), {1.566667, 3.566667}, 5e-7);
}

TEST_P(BatchNormKernel, OneRowHasNoUnbiasedVariance) {
  const Array running_mean = zeros({1}), running_variance = array({1}, {1});
  on->update_running_statistics(array({1}, {3}), array({1}, {0}), 1, 0.5, running_mean, running_variance);
  expect_values(running_mean, {1.5});
  expect_values(running_variance, {0.5});
}

TEST_P(BatchNormKernel, ColumnsThatAreNotFiniteKeepTheirRunningValues) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
  const Array running_mean = array({3}, {1, 2, 3}), running_variance = array({3}, {1, 1, 1});
  on->update_running_statistics(array({3}, {kNaN, 4, 5}), array({3}, {1, kInfinity, 3}), 2, 0.5, running_mean,
                                running_variance);
  expect_values(running_mean, {1, 2, 4});
  expect_values(running_variance, {1, 1, 3.5});
}

TEST_P(BatchNormKernel, GradientsGoIntoEverySink) {
  const std::int64_t R = 70, d = 19, N = 75;
  const Array x = random_view({R, d}, 1), dy = random_view({R, d}, 2), gamma = random({d}, 3);
  Array mean = zeros({d}), variance = zeros({d});
  on->batch_statistics(x, N - R, mean, variance);
  const Doubles xs = values(x), dys = values(dy), g = values(gamma), m = values(mean), v = values(variance);
  Doubles dx(xs.size()), dgamma(d), dbeta(d);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const std::size_t c = i % d;
    dgamma[c] += dys[i] * (xs[i] - m[c]) / std::sqrt(v[c] + 1e-5);
    dbeta[c] += dys[i];
  }
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const std::size_t c = i % d;
    const double rstd = 1 / std::sqrt(v[c] + 1e-5), n = (xs[i] - m[c]) * rstd;
    dx[i] = g[c] * rstd * (dys[i] - (dbeta[c] + n * dgamma[c]) / static_cast<double>(N));
  }
  const auto backward = [&](Sink to_x, Sink to_gamma, Sink to_beta) {
    on->batch_norm_backward(dy, x, mean, variance, gamma, 1e-5, N, to_x, to_gamma, to_beta);
  };
  expect_in_every_sink({R, d}, dx, [&](Sink sink) { backward(sink, {}, {}); });
  expect_in_every_sink({d}, dgamma, [&](Sink sink) { backward({}, sink, {}); });
  expect_in_every_sink({d}, dbeta, [&](Sink sink) { backward({}, {}, sink); });
}

TEST_P(BatchNormKernel, ShapesThatDoNotFitAreRefused) {
  const Array x = zeros({3, 2}), two = zeros({2}), three = zeros({3});
  Array right = zeros({2}), wrong = zeros({3}), y = zeros({3, 2}), other = zeros({2, 2});
  EXPECT_THROW(on->batch_statistics(x, 0, right, wrong), ShapeError);
  EXPECT_THROW(on->batch_statistics(zeros({0, 2}), 0, right, right), ShapeError);
  EXPECT_THROW(on->batch_norm(x, two, three, two, two, 1e-5, y), ShapeError);
  EXPECT_THROW(on->batch_norm(x, two, two, two, two, 1e-5, other), ShapeError);
  EXPECT_THROW(on->batch_norm_backward(y, x, two, two, three, 1e-5, 3, {}, Sink::overwrite(two), {}), ShapeError);
  EXPECT_THROW(on->update_running_statistics(two, two, 0, 0.1, two, two), ShapeError);
}

}  // namespace
}  // namespace dragoman
