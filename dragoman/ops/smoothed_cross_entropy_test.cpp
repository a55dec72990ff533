#include "dragoman/ops/smoothed_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/autograd/testing.h"
#include "dragoman/data/tokens.h"

namespace dragoman::ops {
namespace {

constexpr LabelSmoothing kNone{.epsilon = 0}, kOtherClasses{.epsilon = 0.1},
    kUniform{.epsilon = 0.1, .form = LabelSmoothing::Form::kUniform};

using Op = decltype(smoothed_cross_entropy);

Array ids(const Workbench& bench, const data::Sentence& targets) { return data::make_ids(*bench.on, targets); }

// The loss of `op` as a function of Y and E, or of Y, E and b.
DifferentiableFunction loss_of(Op& op, const Array& targets, const LossOptions& options) {
  return [&op, targets, options](std::span<const Tensor> x) {
    return op(x[0], x[1], x.size() > 2 ? x[2] : Tensor(), targets, options).loss;
  };
}

// E = I makes the logits equal to Y.
Tensor identity(const Workbench& bench, std::int64_t n) {
  Doubles ones(n * n, 0.0);
  for (std::int64_t i = 0; i < n; ++i) ones[i * n + i] = 1;
  return bench.tensor({n, n}, ones);
}

TEST(SmoothedCrossEntropy, WorkedExample) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor logits = bench.tensor({1, 5}, {2, 1, 0, -1, 0.5}), E = identity(bench, 5);
    const Array target = ids(bench, {0});
    const LossTerms rest = smoothed_cross_entropy(logits, E, {}, target, {.smoothing = kOtherClasses});
    expect_near(bench.values(rest.losses), {0.761938}, 1e-6);
    expect_near(bench.values(rest.nll), {0.574438}, 1e-6);
    expect_near(bench.values(rest.loss), {0.761938}, 1e-6);
    const LossTerms uniform = smoothed_cross_entropy(logits, E, {}, target, {.smoothing = kUniform});
    expect_near(bench.values(uniform.losses), {0.724438}, 1e-6);
    expect_near(bench.values(uniform.nll), {0.574438}, 1e-6);
  });
}

TEST(SmoothedCrossEntropy, WorkedGradient) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor logits = bench.tensor({1, 5}, {2, 1, 0, -1, 0.5});
    const Evaluation result = evaluate(loss_of(smoothed_cross_entropy, ids(bench, {0}), {.smoothing = kOtherClasses}),
                                       {logits, identity(bench, 5)});
    expect_near(result.gradients[0], {-0.336979, 0.182124, 0.051197, 0.003031, 0.100627}, 1e-6);
  });
}

// Two sentences whose tokens have losses .2, .5, .3 and 1.0, .4: the mean is over tokens, not over sentences.
TEST(SmoothedCrossEntropy, TheMeanIsOverTargetTokens) {
  const Workbench bench;
  Doubles logits;
  for (const double nll : {0.2, 0.5, 0.3, 1.0, 0.4}) {
    logits.push_back(-nll);  // log p of the target; the next one is that of the rest
    logits.push_back(std::log(1 - std::exp(-nll)));
  }
  logits.insert(logits.end(), {3, 4});  // a row without a target
  const Array targets = ids(bench, {0, 0, 0, 0, 0, kNoTarget});
  const LossTerms terms = smoothed_cross_entropy(bench.tensor({6, 2}, logits), identity(bench, 2), {}, targets,
                                                 {.smoothing = kNone, .weight = 1.0 / 5});
  expect_near(bench.values(terms.nll), {0.2, 0.5, 0.3, 1.0, 0.4, 0}, 1e-12);
  expect_near(bench.values(terms.loss), {0.48}, 1e-12);
  EXPECT_NEAR(std::exp(bench.values(terms.loss)[0]), 1.616074, 1e-6);
}

// In chunks of 16 rows, the smallest that the CPU kernel makes, 40 rows are three chunks.
constexpr std::int64_t kRows = 40, kClasses = 11;

Array some_targets(const Workbench& bench) {
  data::Sentence targets(kRows);
  for (std::int32_t r = 0; r < kRows; ++r)
    targets[r] = r % 5 == 1 ? kNoTarget : static_cast<std::int32_t>(r * 3 % kClasses);
  return ids(bench, targets);
}

TEST(SmoothedCrossEntropy, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tensor Y = bench.random({kRows, 3}, 1), E = bench.random({kClasses, 3}, 2), b = bench.random({kClasses}, 3);
  const Array targets = some_targets(bench);
  for (const LabelSmoothing& smoothing : {kNone, kOtherClasses, kUniform}) {
    for (const std::int64_t chunk : {0, 16}) {
      const LossOptions options{.smoothing = smoothing, .weight = 0.2, .chunk = chunk};
      expect_gradients_match(loss_of(smoothed_cross_entropy, targets, options), {Y, E});
      expect_gradients_match(loss_of(smoothed_cross_entropy, targets, options), {Y, E, b});
    }
  }
  expect_gradients_match(loss_of(plain::smoothed_cross_entropy, targets, {}), {Y, E, b});
}

TEST(SmoothedCrossEntropy, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor Y = bench.random({kRows, 9}, 1), E = bench.random({kClasses, 9}, 2), b = bench.random({kClasses}, 3);
    const Array targets = some_targets(bench);
    for (const LabelSmoothing& smoothing : {kNone, kOtherClasses, kUniform}) {
      for (const std::int64_t chunk : {0, 16}) {
        const LossOptions options{.smoothing = smoothing, .weight = 0.2, .chunk = chunk};
        const auto fused = loss_of(smoothed_cross_entropy, targets, options);
        const auto composition = loss_of(plain::smoothed_cross_entropy, targets, options);
        expect_same_function(fused, composition, {Y, E}, bench.tolerance);
        expect_same_function(fused, composition, {Y, E, b}, bench.tolerance);
        const LossTerms a = smoothed_cross_entropy(Y, E, b, targets, options);
        const LossTerms c = plain::smoothed_cross_entropy(Y, E, b, targets, options);
        expect_near(bench.values(a.losses), bench.values(c.losses), bench.tolerance);
        expect_near(bench.values(a.nll), bench.values(c.nll), bench.tolerance);
      }
    }
  });
}

// The words 1 and 4 of seven are absent. The others have the logits of the worked example, and so have the loss and the
// gradients.
TEST(SmoothedCrossEntropy, AbsentWordsDoNotCount) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensor few = bench.tensor({1, 5}, {2, 1, 0, -1, 0.5}), E = identity(bench, 5);
    const Tensor many = bench.tensor({1, 7}, {2, 3, 1, 0, -4, -1, 0.5}), wide = identity(bench, 7);
    const Tensor b = bench.tensor({7}, {0, -1e30, 0, 0, -1e30, 0, 0});
    for (const LabelSmoothing& smoothing : {kNone, kOtherClasses, kUniform}) {
      const LossOptions options{.smoothing = smoothing};
      const Array first = ids(bench, {2}), second = ids(bench, {3});  // the word with logit 0
      const LossTerms expected = smoothed_cross_entropy(few, E, {}, first, options),
                      found = smoothed_cross_entropy(many, wide, b, second, options);
      expect_near(bench.values(found.losses), bench.values(expected.losses), 1e-6);
      expect_near(bench.values(found.nll), bench.values(expected.nll), 1e-6);
      const Doubles part = evaluate(loss_of(smoothed_cross_entropy, first, options), {few, E}).gradients[0];
      const Evaluation all = evaluate(loss_of(smoothed_cross_entropy, second, options), {many, wide, b});
      const Doubles whole{part[0], 0, part[1], part[2], 0, part[3], part[4]};
      expect_near(all.gradients[0], whole, 1e-6);
      expect_near(all.gradients[2], whole, 1e-6);
    }
  });
}

TEST(SmoothedCrossEntropy, ARowWithoutATargetAddsNothing) {
  const Workbench bench;
  const Tensor Y = bench.random({2, 3}, 1), E = bench.random({4, 3}, 2);
  const Evaluation result = evaluate(loss_of(smoothed_cross_entropy, ids(bench, {kNoTarget, 3}), {}), {Y, E});
  EXPECT_EQ(result.gradients[0][0], 0);
  EXPECT_EQ(result.gradients[0][1], 0);
  EXPECT_EQ(result.gradients[0][2], 0);
  EXPECT_NE(result.gradients[0][3], 0);
}

TEST(SmoothedCrossEntropy, ShapeErrorNamesTheShapes) {
  const Workbench bench;
  const Tensor Y = bench.random({2, 3}, 1), E = bench.random({5, 3}, 2);
  const Array targets = ids(bench, {0, 1});
  expect_shape_error(
      [&] {
        smoothed_cross_entropy(Y, bench.random({5, 4}, 3), {}, targets, {});
      },
      {"smoothed_cross_entropy", "[2, 3]", "[5, 4]"});
  expect_shape_error([&] { smoothed_cross_entropy(Y, E, {}, ids(bench, {0}), {}); },
                     {"smoothed_cross_entropy", "[2, 3]", "[1]"});
  expect_shape_error([&] { smoothed_cross_entropy(Y, E, bench.random({4}, 3), targets, {}); },
                     {"smoothed_cross_entropy", "[5, 3]", "[4]"});
}

TEST(SmoothedCrossEntropy, RefusesATargetBeyondTheVocabularyAndOtherElementTypes) {
  const Workbench bench;
  const Tensor Y = bench.tensor({1, 2}, {1, 2}), E = bench.tensor({3, 2}, {1, 2, 3, 4, 5, 6});
  const std::int32_t beyond[] = {3};
  EXPECT_THROW(smoothed_cross_entropy(Y, E, {}, data::make_ids(*bench.on, beyond), {}), ShapeError);
  EXPECT_THROW(smoothed_cross_entropy(Y, E, {}, bench.tensor({1}, {0}).array(), {}), ShapeError);
}

}  // namespace
}  // namespace dragoman::ops
