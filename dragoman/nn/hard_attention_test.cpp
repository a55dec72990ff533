// Hard attention in a model that is small enough to try all 27 paths that it can choose.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/nn/scalar_model_testing.h"

namespace dragoman::nn {
namespace {

// The names of the weights whose gradients are known, and the element.
const std::vector<std::pair<std::string, std::size_t>> kWeights{
    {"enc.forwards.U", 0}, {"enc.forwards.W", 0}, {"dec.C", 0}, {"dec.U", 0}, {"from_c", 1}};

struct Path {
  double probability = 1, log_p = 0;
  std::vector<double> gradients;  // of -log p with the score part of REINFORCE, in the order of kWeights
};

// One path: its probability, the log-probability of the target on it, and the gradient of one sample with to-go returns
// and this baseline.
Path follow(const std::vector<int>& path, double baseline) {
  const Workbench bench;
  Backend& on = *bench.on;
  ScalarModel model(bench);
  Pass pass{.on = on, .training = true};
  const Recording recording(on);
  Array credit = on.empty({3}, DType::kFloat64);
  const ScalarModel::Choices choices{path, credit};
  const ScalarModel::Run run = model.run(nullptr, pass, &choices);

  Path result;
  const Doubles nll = values_of(on, run.nll.reshaped({1, 3}));
  Doubles credits(3);
  double to_go = 0;
  for (std::size_t t = 3; t-- > 0;) {
    to_go -= nll[t];
    credits[t] = -(to_go - baseline);
    result.probability *= run.weights[t][static_cast<std::size_t>(path[t])];
  }
  result.log_p = to_go;
  on.copy_in(credits.data(), credit);
  backward(run.loss);
  for (const auto& [name, i] : kWeights) result.gradients.push_back(model.gradient(name, i));
  return result;
}

template <class Visit>
void for_each_path(const Visit& visit) {
  for (int path = 0; path < 27; ++path) visit(std::vector<int>{path / 9, path / 3 % 3, path % 3});
}

TEST(HardAttention, TheBoundIsTheMeanOverAllPaths) {
  double bound = 0, marginal = 0, sum = 0;
  for_each_path([&](const std::vector<int>& path) {
    const Path followed = follow(path, 0);
    sum += followed.probability;
    bound += followed.probability * followed.log_p;
    marginal += followed.probability * std::exp(followed.log_p);
  });
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(bound, -3.291177, 5e-7);
  EXPECT_NEAR(std::log(marginal), -3.276006, 5e-7);
}

TEST(HardAttention, TheGradientOfOneSampleIsUnbiased) {
  const std::vector<double> of_bound{-.015492, -.093892, .050665, -.014124, -.054991};
  std::vector<std::vector<double>> means;
  for (const double baseline : {0.0, -1.7}) {
    std::vector<double>& mean = means.emplace_back(kWeights.size(), 0.0);
    for_each_path([&](const std::vector<int>& path) {
      const Path followed = follow(path, baseline);
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += followed.probability * followed.gradients[i];
    });
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(-mean[i], of_bound[i], 1e-6) << kWeights[i].first;
  }
  // The expectation does not depend on the baseline.
  for (std::size_t i = 0; i < kWeights.size(); ++i) EXPECT_NEAR(means[0][i], means[1][i], 1e-10) << kWeights[i].first;
}

// The gradient of the bound itself, by central differences of the mean over all paths.
TEST(HardAttention, TheMeanOfTheSamplesIsTheGradientOfTheBound) {
  const auto bound = [](const std::string& name, std::size_t element, double change) {
    double total = 0;
    for_each_path([&](const std::vector<int>& path) {
      const Workbench bench;
      ScalarModel model(bench);
      model.weights.add(name, element, change);
      Pass pass{.on = *bench.on};
      const Array credit = bench.on->empty({3}, DType::kFloat64);
      const ScalarModel::Choices choices{path, credit};
      const ScalarModel::Run run = model.run(nullptr, pass, &choices);
      double probability = 1;
      for (std::size_t t = 0; t < 3; ++t) probability *= run.weights[t][static_cast<std::size_t>(path[t])];
      total -= probability * bench.values(run.loss)[0];
    });
    return total;
  };
  std::vector<double> mean(kWeights.size(), 0.0);
  for_each_path([&](const std::vector<int>& path) {
    const Path followed = follow(path, -1.2);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] -= followed.probability * followed.gradients[i];
  });
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    const auto& [name, element] = kWeights[i];
    constexpr double kStep = 1e-3;
    const auto at = [&](double steps) { return bound(name, element, steps * kStep); };
    // Of sixth order, so that rounding and truncation both stay below 1e-11.
    const double slope = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * kStep);
    EXPECT_NEAR(mean[i], slope, 1e-10) << name;
  }
}

TEST(HardAttention, TheLikeliestPathIsThatOfTheFixedContext) {
  EXPECT_NEAR(follow({2, 2, 2}, 0).log_p, -3.288031, 5e-7);
}

}  // namespace
}  // namespace dragoman::nn
