#include "dragoman/optim/nesterov.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman::optim {
namespace {

// A matrix and a vector whose sizes are not multiples of the width of a vector register.
struct MatrixAndVector {
  params::Parameter W{{5, 7}, params::Initial::normal(1)}, b{{3}, params::Initial::constant(1)};

  void parameters(params::ParameterVisitor& visit) {
    visit("W", W);
    visit("b", b);
  }
};

struct NesterovSetup {
  explicit NesterovSetup(const NesterovSettings& settings)
      : block(*on, DType::kFloat64, model, params::Purpose::kTraining), nesterov(block, settings) {
    block.initialise(1);
  }
  // A step with the same gradient for every parameter.
  void step(double g, double rate, const Array& scale = {}) {
    Array all = block.gradients();
    on->fill(all, g);
    nesterov.step(rate, scale);
  }
  Doubles b() const { return values_of(*on, model.b.tensor().array()); }
  Doubles W() const { return values_of(*on, model.W.tensor().array()); }

  std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 2});
  MatrixAndVector model;
  params::ParameterBlock block;
  Nesterov nesterov;
};

TEST(Nesterov, WorkedExample) {
  NesterovSetup setup({.momentum = .9});
  const double gradients[] = {.1, -.2, .3}, expected[] = {.981, 1.0109, .96281};
  for (int i = 0; i < 3; ++i) {
    setup.step(gradients[i], .1);
    expect_near(setup.b(), Doubles(3, expected[i]), 1e-12);
  }
  EXPECT_EQ(setup.nesterov.steps(), 3);
  ASSERT_EQ(setup.nesterov.moments().size(), 1u);
  EXPECT_EQ(setup.nesterov.moments()[0].values.shape(), setup.block.values().shape());
}

// With the same gradient in every step and rates r1, r2: v1 = -r1 g, and v1 counts as -r2 g in the second step.
TEST(Nesterov, AChangeOfTheRateActsOnTheVelocity) {
  NesterovSetup setup({.momentum = .5});
  setup.step(1, .1);
  expect_near(setup.b(), Doubles(3, 1 - 1.5 * .1), 1e-12);
  setup.step(1, .02);
  expect_near(setup.b(), Doubles(3, 1 - 1.5 * .1 - .25 * .02 - 1.5 * .02), 1e-12);
}

TEST(Nesterov, ResumesWithTheLastRate) {
  NesterovSetup straight({.momentum = .5}), resumed({.momentum = .5});
  straight.step(1, .1);
  resumed.step(1, .1);
  resumed.nesterov.resume(1, .1);
  straight.step(2, .02);
  resumed.step(2, .02);
  EXPECT_EQ(straight.b(), resumed.b());
}

TEST(Nesterov, WeightDecayActsOnTheParameters) {
  NesterovSetup all({.decay = {.amount = .5}}), matrices({.decay = {.amount = .5, .of_vectors = false}});
  const Doubles W = all.W();
  all.step(0, .1);
  matrices.step(0, .1);
  expect_near(all.b(), Doubles(3, .95), 1e-15);
  expect_near(matrices.b(), Doubles(3, 1), 1e-15);
  expect_near(matrices.W(), map(W, [](double w) { return .95 * w; }), 1e-15);
}

TEST(Nesterov, ANanScaleChangesNothing) {
  NesterovSetup setup({});
  const Doubles before = setup.W();
  setup.step(1, .1, make_array(*setup.on, {1}, DType::kFloat64, {std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_EQ(setup.W(), before);
  EXPECT_EQ(values_of(*setup.on, setup.nesterov.moments()[0].values), Doubles(setup.block.values().count(), 0));
}

}  // namespace
}  // namespace dragoman::optim
