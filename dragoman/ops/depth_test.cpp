#include "dragoman/ops/depth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::ops {
namespace {

Tensor ones_column(const Workbench& bench, std::int64_t rows) {
  return bench.tensor({rows, 1}, Doubles(static_cast<std::size_t>(rows), 1.0));
}
Array zero_column(const Workbench& bench, std::int64_t rows) {
  return bench.tensor({rows, 1}, Doubles(static_cast<std::size_t>(rows), 0.0)).array();
}

// One row that halts with the probabilities p: the state of step t is logit(p_t), and w is 1.
struct Halted {
  Doubles weights;
  double N = 0, rest = 0;
};
Halted halted(const Workbench& bench, const Doubles& p, int T_max) {
  Halted result;
  const Tensor w = bench.tensor({1, 1}, {1}), b = bench.tensor({1}, {0});
  Tensor rest = ones_column(bench, 1);
  const Array steps = zero_column(bench, 1);
  for (std::size_t t = 0; t < p.size(); ++t) {
    const Tensor x = bench.tensor({1, 1}, {std::log(p[t] / (1 - p[t]))});
    const HaltStep step{.t = static_cast<int>(t) + 1, .last = static_cast<int>(t) + 1 == T_max};
    const HaltWeights now = halt(x, w, b, step, rest, steps);
    result.weights.push_back(bench.values(now.weight)[0]);
    rest = now.rest;
  }
  result.N = bench.values(steps)[0];
  result.rest = bench.values(rest)[0];
  return result;
}

void expect_halted(const Doubles& p, const Doubles& weights, double N, double ponder, int T_max = 12) {
  const Workbench bench;
  const Halted result = halted(bench, p, T_max);
  expect_near(result.weights, weights, 5e-7);
  EXPECT_EQ(result.N, N);
  EXPECT_NEAR(result.N + result.rest, ponder, 5e-7);
}

TEST(Halt, WorkedExamples) {
  expect_halted({.3, .4, .5}, {.3, .4, .3}, 3, 3.3);
  expect_halted({.995}, {1}, 1, 2);
  expect_halted({.5, .48, .5}, {.5, .48, .02}, 3, 3.02);
  expect_halted({.6, .395}, {.6, .4}, 2, 2.4);
  expect_halted({.1, .1, .1, .1}, {.1, .1, .1, .7}, 4, 4.7, 4);
}

TEST(Halt, ARowThatHaltedHasNoWeightInLaterSteps) { expect_halted({.3, .4, .5, .5, .9}, {.3, .4, .3, 0, 0}, 3, 3.3); }

TEST(BlendRows, WorkedExamples) {
  const Workbench bench;
  for (const auto& [old, expected] : {std::pair{OldRows::kKeep, 2.3}, std::pair{OldRows::kFade, 1.886}}) {
    Tensor O;
    for (const auto& [w, H] : {std::pair{.3, 1.0}, std::pair{.4, 2.0}, std::pair{.3, 4.0}}) {
      O = blend_rows(O, bench.tensor({1, 1}, {H}), bench.tensor({1, 1}, {w}), old);
    }
    EXPECT_NEAR(bench.values(O)[0], expected, 5e-7);
  }
}

TEST(BlendRows, ARowWithoutWeightIsACopy) {
  const Workbench bench;
  const Tensor a = bench.tensor({1, 2}, {-0.0, 3}), x = bench.tensor({1, 2}, {INFINITY, NAN});
  const Doubles y = bench.values(blend_rows(a, x, bench.tensor({1, 1}, {0}), OldRows::kKeep));
  EXPECT_TRUE(std::signbit(y[0]));
  EXPECT_EQ(y[1], 3);
}

// Three steps of four rows, of which some halt in each; the output is O and, below it, N + R.
enum class Form { kFused, kPlain };
Tensor adaptive(std::span<const Tensor> in, Form form, OldRows old) {
  Backend& on = in[0].backend();
  const std::int64_t R = in[0].rows();
  Array ones = on.empty({R, 1}, DType::kFloat64), steps = on.empty_like(ones);
  on.fill(ones, 1.0);
  on.fill(steps, 0.0);
  Tensor rest(on, ones), O;
  for (int t = 1; t <= 3; ++t) {
    const Tensor& x = in[static_cast<std::size_t>(t) - 1];
    const HaltStep step{.t = t, .last = t == 3};
    const HaltWeights now = form == Form::kFused ? halt(x, in[3], in[4], step, rest, steps)
                                                 : plain::halt(x, in[3], in[4], step, rest, steps);
    rest = now.rest;
    O = form == Form::kFused ? blend_rows(O, x, now.weight, old) : plain::blend_rows(O, x, now.weight, old);
  }
  const Tensor ponder = Tensor(on, steps) + rest;
  return concat({O, ponder});
}
Tensors adaptive_inputs(const Workbench& bench) {
  // Logits that are about 3, so that the rows halt in the first, the second and the third step.
  Tensors inputs{bench.tensor({4, 2}, {5, 1, .1, .2, -.3, .1, .4, -.2}),
                 bench.tensor({4, 2}, {1, 2, 4, 3, .2, .1, -1, 2}), bench.random({4, 2}, 3),
                 bench.tensor({2, 1}, {1, .5}), bench.tensor({1}, {-.2})};
  return inputs;
}

TEST(Halt, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  for (const OldRows old : {OldRows::kKeep, OldRows::kFade}) {
    expect_gradients_match([old](auto in) { return adaptive(in, Form::kFused, old); }, adaptive_inputs(bench));
  }
}

TEST(Halt, FusedAgreesWithComposition) {
  const Workbench bench;
  for (const OldRows old : {OldRows::kKeep, OldRows::kFade}) {
    expect_same_function([old](auto in) { return adaptive(in, Form::kFused, old); },
                         [old](auto in) { return adaptive(in, Form::kPlain, old); }, adaptive_inputs(bench), 1e-12);
  }
}

TEST(AddCoordinates, AddsThePositionAndTheSignalOfTheStep) {
  const Workbench bench;
  const Tensor P = bench.tensor({3, 2}, {0, 1, 10, 20, 30, 40}), S = bench.tensor({2, 2}, {7, 7, .5, .25});
  const Array position = make_array(*bench.on, {3}, DType::kInt32, {2, 0, 1});
  const Tensor x = bench.tensor({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(bench.values(add_coordinates(x, position, P, {S, 1, 2.0})), (Doubles{32, 42.5, 4, 5.5, 16, 26.5}));
}

TEST(AddCoordinates, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor P = bench.random({3, 2}, 1);
  const Array position = make_array(*bench.on, {3}, DType::kInt32, {2, 0, 1});
  expect_gradients_match(
      [&](auto in) {
        const Tensor once = add_coordinates(in[0], position, P, {in[1], 1, 2.0});
        return add_coordinates(once, position, P, {in[1], 0, 2.0});
      },
      {bench.random({3, 2}, 2), bench.random({2, 2}, 3)});
}

}  // namespace
}  // namespace dragoman::ops
