#include "dragoman/optim/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/backend/testing.h"

namespace dragoman::optim {
namespace {

using params::Initial;
using params::Parameter;

// Two parameters whose sizes are not multiples of the width of a vector register.
struct Pair {
  Parameter W{{5, 7}, Initial::normal(1)}, b{{3}, Initial::constant(1)};

  void parameters(params::ParameterVisitor& visit) {
    visit("W", W);
    visit("b", b);
  }
};

// Adam on a Pair, with a backend of its own. A test chooses the gradients of every step.
struct AdamOnPair {
  explicit AdamOnPair(DType dtype, int threads = 1, const AdamSettings& settings = {})
      : on(make_backend(Device{}, {.threads = threads})),
        block(*on, dtype, pair, params::Purpose::kTraining),
        adam(block, settings) {
    block.initialise(1);
  }
  void step(const Doubles& dW, const Doubles& db, double rate) {
    set_gradient(pair.W, dW);
    set_gradient(pair.b, db);
    adam.step(rate);
  }
  void set_gradient(Parameter& parameter, const Doubles& values) {
    const Variable& variable = *parameter.tensor().variable();
    on->scaled(make_array(*on, parameter.shape(), DType::kFloat64, values), 1.0, Sink::overwrite(variable.gradient));
  }
  Doubles values(const Parameter& parameter) const { return values_of(*on, parameter.tensor().array()); }

  std::unique_ptr<Backend> on;
  Pair pair;
  params::ParameterBlock block;
  Adam adam;
};

// The update of the Adam paper with decoupled weight decay, for one tensor, in plain loops.
struct Reference {
  Doubles theta, m = Doubles(theta.size(), 0), v = Doubles(theta.size(), 0);
  int t = 0;

  void step(const Doubles& g, double rate, const AdamSettings& s) {
    ++t;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      m[i] = s.beta1 * m[i] + (1 - s.beta1) * g[i];
      v[i] = s.beta2 * v[i] + (1 - s.beta2) * g[i] * g[i];
      theta[i] -= rate * s.decay.amount * theta[i];
      theta[i] -=
          rate * (m[i] / (1 - std::pow(s.beta1, t))) / (std::sqrt(v[i] / (1 - std::pow(s.beta2, t))) + s.epsilon);
    }
  }
};

TEST(Adam, WorkedExample) {
  AdamOnPair setup(DType::kFloat64);
  const double gradients[] = {.1, -.2, .3}, expected[] = {.999000000, .999365054, .999023681};
  for (int i = 0; i < 3; ++i) {
    setup.step(Doubles(35, 0), Doubles(3, gradients[i]), 1e-3);
    EXPECT_NEAR(setup.values(setup.pair.b)[0], expected[i], 5e-10);
  }
  EXPECT_EQ(setup.adam.steps(), 3);
}

TEST(Adam, OnePassOverTheBlockEqualsAnUpdatePerTensor) {
  const AdamSettings settings{.beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-6, .decay = {.amount = 0.01}};
  AdamOnPair setup(DType::kFloat64, 2, settings);
  Reference W{setup.values(setup.pair.W)}, b{setup.values(setup.pair.b)};
  for (std::uint64_t t = 1; t <= 5; ++t) {
    const Doubles dW = random_values(35, t), db = random_values(3, 100 + t);
    const double rate = 0.1 / static_cast<double>(t);
    setup.step(dW, db, rate);
    W.step(dW, rate, settings);
    b.step(db, rate, settings);
  }
  expect_near(setup.values(setup.pair.W), W.theta, 1e-13);
  expect_near(setup.values(setup.pair.b), b.theta, 1e-13);
}

TEST(Adam, WeightDecayActsOnTheParameterAndNotOnTheGradient) {
  AdamOnPair setup(DType::kFloat64, 1, {.decay = {.amount = 0.5}});
  const Doubles before = setup.values(setup.pair.W);
  setup.step(Doubles(35, 0), Doubles(3, 0), 0.1);
  const Doubles after = setup.values(setup.pair.W);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i] * 0.95, 1e-15);
  EXPECT_EQ(values_of(*setup.on, setup.adam.m()), Doubles(setup.adam.m().count(), 0));
}

TEST(Adam, LimitedToRangesItStepsNothingElse) {
  AdamOnPair limited(DType::kFloat64, 1, {.decay = {.amount = 0.5, .of_vectors = false}});
  AdamOnPair whole(DType::kFloat64, 1, {.decay = {.amount = 0.5, .of_vectors = false}});
  const Doubles before = limited.values(limited.pair.W);
  const params::BlockRange parts[] = {{32, 3}, {0, 16}};
  limited.adam.limit_to(parts);
  limited.step(Doubles(35, 1), Doubles(3, 1), 0.1);
  whole.step(Doubles(35, 1), Doubles(3, 1), 0.1);
  Doubles expected = whole.values(whole.pair.W);
  for (std::size_t i = 16; i < 32; ++i) expected[i] = before[i];
  EXPECT_EQ(limited.values(limited.pair.W), expected);
  EXPECT_EQ(limited.adam.steps(), 1);
}

TEST(Adam, ItsMomentsHaveTheLayoutOfTheBlock) {
  AdamOnPair setup(DType::kFloat32);
  EXPECT_EQ(setup.adam.m().shape(), setup.block.values().shape());
  EXPECT_EQ(setup.adam.v().shape(), setup.block.gradients().shape());
  EXPECT_EQ(setup.adam.v().dtype(), DType::kFloat32);
}

// A vector that is long enough to be divided among threads.
struct Long {
  Parameter W{{50001}, Initial::normal(1)};
  void parameters(params::ParameterVisitor& visit) { visit("W", W); }
};

Doubles after_three_steps(int threads) {
  const auto on = make_backend(Device{}, {.threads = threads});
  Long model;
  params::ParameterBlock block(*on, DType::kFloat32, model, params::Purpose::kTraining);
  block.initialise(1);
  Adam adam(block, {});
  for (std::uint64_t t = 1; t <= 3; ++t) {
    const ArenaScope scratch(on->arena());
    const Array g = make_array(*on, {50001}, DType::kFloat32, random_values(50001, t));
    on->scaled(g, 1.0, Sink::overwrite(model.W.tensor().variable()->gradient));
    adam.step(1e-3);
  }
  return values_of(*on, block.values());
}

TEST(Adam, GivesTheSameBitsWithAnyNumberOfThreads) { EXPECT_EQ(after_three_steps(1), after_three_steps(3)); }

TEST(Adam, VectorsDoNotDecayIfDecaysVectorsIsFalse) {
  const AdamSettings only_matrices_decay{.decay = {.amount = 0.5, .of_vectors = false}};
  AdamOnPair setup(DType::kFloat64, 2, only_matrices_decay);
  Reference W{setup.values(setup.pair.W)}, b{setup.values(setup.pair.b)};
  for (int step = 1; step <= 3; ++step) {
    const Doubles dW = random_values(35, step), db = random_values(3, 10 + step);
    setup.step(dW, db, 0.1);
    W.step(dW, 0.1, only_matrices_decay);
    b.step(db, 0.1, {});
  }
  expect_near(setup.values(setup.pair.W), W.theta, 1e-12);
  expect_near(setup.values(setup.pair.b), b.theta, 1e-12);
}

}  // namespace
}  // namespace dragoman::optim
