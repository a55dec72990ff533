#include "dragoman/ops/batch_norm.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/layer_norm.h"

namespace dragoman::ops {
namespace {

constexpr double kEps = 1e-5;

// Two sentences, of three rows and of one.
struct BatchExample {
  Workbench bench;
  Tensor x = bench.tensor({4, 2}, {1, 10, 3, 14, 5, 6, 7, 2});
  Tensor gamma = bench.tensor({2}, {1, 1}), beta = bench.tensor({2}, {0, 0});
};

TEST(BatchNorm, WorkedExample) {
  const BatchExample e;
  const BatchNorm result = batch_norm(e.x, e.gamma, e.beta, kEps);
  expect_near(e.bench.values(result.moments.mean), {4, 8}, 1e-12);
  expect_near(e.bench.values(result.moments.variance), {5, 20}, 1e-12);
  expect_near(e.bench.values(result.y),
              {-1.341639, .447213, -.447213, 1.341640, .447213, -.447213, 1.341639, -1.341640}, 5e-7);
}

// The batch as a matrix of two sentences of three rows has two rows of zeros.
TEST(BatchNorm, WorkedExampleWithPadding) {
  const BatchExample e;
  const BatchNorm result = batch_norm(e.x, e.gamma, e.beta, kEps, 2);
  expect_near(e.bench.values(result.moments.mean), {2.666667, 5.333333}, 5e-7);
  expect_near(e.bench.values(result.moments.variance), {6.888889, 27.555556}, 5e-7);
  EXPECT_EQ(result.N, 6);
  expect_near(e.bench.values(result.y), {-.635000, .889001, .127000, 1.651001, .889000, .127000, 1.651000, -.635001},
              5e-7);
}

TEST(BatchNorm, ASentenceAloneHasOtherValues) {
  const BatchExample e;
  const Tensor first(*e.bench.on, e.x.array().row_range(0, 3));
  const Doubles y = e.bench.values(batch_norm(first, e.gamma, e.beta, kEps).y);
  expect_near({y[0], y[2], y[4]}, {-1.224743, 0, 1.224743}, 5e-7);
  // LayerNorm does not see the other sentences.
  const Doubles alone = e.bench.values(layer_norm(first, e.gamma, e.beta, kEps)),
                together = e.bench.values(layer_norm(e.x, e.gamma, e.beta, kEps));
  EXPECT_EQ(alone, Doubles(together.begin(), together.begin() + 6));
}

TEST(BatchNorm, WorkedExampleOfGradients) {
  const BatchExample e;
  Backend& on = *e.bench.on;
  const Recording recording(on);
  const Tensor x = leaf(on, e.x.array()), gamma = leaf(on, e.gamma.array()), beta = leaf(on, e.beta.array());
  const Tensor y = batch_norm(x, gamma, beta, kEps).y;
  backward(y, make_array(on, {4, 2}, DType::kFloat64, {1, 0, 0, 0, 0, 0, -2, 0}));
  const Doubles dx = e.bench.values(finished_gradient(on, *x.variable()));
  expect_near({dx[0], dx[2], dx[4], dx[6]}, {-.044720, -.089442, .313049, -.178886}, 5e-7);
  EXPECT_NEAR(e.bench.values(finished_gradient(on, *gamma.variable()))[0], -4.024918, 5e-7);
  EXPECT_NEAR(e.bench.values(finished_gradient(on, *beta.variable()))[0], -1, 1e-12);
}

TEST(BatchNorm, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    for (const std::int64_t R : {2, 5, 33, 150}) {
      for (const std::int64_t padding : {0, 1, 40}) {
        SCOPED_TRACE(join(R, " rows, padding ", padding));
        const Tensors inputs{bench.random({R, 9}, 1), bench.random({9}, 2), bench.random({9}, 3)};
        const DifferentiableFunction fused = [=](auto x) { return batch_norm(x[0], x[1], x[2], 1e-3, padding).y; };
        const DifferentiableFunction plain = [=](auto x) { return plain::batch_norm(x[0], x[1], x[2], 1e-3, padding); };
        expect_same_function(fused, plain, inputs, 20 * bench.tolerance);
      }
    }
  });
}

TEST(BatchNorm, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  for (const std::int64_t padding : {0, 3}) {
    expect_gradients_match([=](auto x) { return batch_norm(x[0], x[1], x[2], kEps, padding).y; },
                           {bench.random({5, 7}, 1), bench.random({7}, 2), bench.random({7}, 3)});
  }
}

TEST(BatchNorm, GradientWithGivenMomentsMatchesFiniteDifferences) {
  const Workbench bench;
  const ColumnMoments given{bench.random({7}, 4).array(), bench.tensor({7}, {1, 2, .5, 3, .1, 7, 1}).array()};
  expect_gradients_match([=](auto x) { return batch_norm(x[0], given, x[1], x[2], kEps); },
                         {bench.random({5, 7}, 1), bench.random({7}, 2), bench.random({7}, 3)});
}

TEST(BatchNorm, WithGivenMomentsRowsAreIndependent) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor x = bench.random({40, 5}, 1), gamma = bench.random({5}, 2), beta = bench.random({5}, 3);
    const ColumnMoments given{bench.random({5}, 4).array(), bench.tensor({5}, {1, 2, 3, 4, 5}).array()};
    const Tensor all = batch_norm(x, given, gamma, beta, kEps),
                 one = batch_norm(Tensor(*bench.on, x.array().row_range(37, 1)), given, gamma, beta, kEps);
    EXPECT_EQ(bench.values(one), bench.values(all.array().row_range(37, 1)));
  });
}

TEST(BatchNorm, ShapeErrorNamesTheShapes) {
  const Workbench bench;
  const Tensor x = bench.random({2, 3}, 1), gamma = bench.random({3}, 2), wide = bench.random({4}, 3);
  expect_shape_error([&] { batch_norm(x, wide, wide, kEps); }, {"batch_norm", "[2, 3]", "[4]"});
  expect_shape_error(
      [&] {
        batch_norm(x, {wide.array(), wide.array()}, gamma, gamma, kEps);
      },
      {"batch_norm", "[2, 3]", "[4]"});
}

}  // namespace
}  // namespace dragoman::ops
