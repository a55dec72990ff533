// Hard attention over a memory: the choice of keys, and the mix of values that uses it.
#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/backend/memory_attention.h"
#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using Kind = KeyChoice::Kind;
const PhiloxKey kKey = philox_key(7, 1);

class MemoryChoiceKernel : public KernelTest {
 protected:
  // n rows with `keys` keys each; row r has the memory rows from r * keys on.
  MemoryRows memory(int n, int keys) const {
    std::vector<int> first, count;
    for (int r = 0; r < n; ++r) {
      first.push_back(r * keys);
      count.push_back(keys);
    }
    return {integers(first), integers(count), keys};
  }
  // n equal rows.
  Array rows_of(const Doubles& row, int n) const {
    Doubles all;
    for (int r = 0; r < n; ++r) all.insert(all.end(), row.begin(), row.end());
    return array({n, static_cast<std::int64_t>(row.size())}, all);
  }
  KeyChoice choice(Kind kind, const std::vector<int>& sentence, const std::vector<int>& position) const {
    KeyChoice made{.kind = kind, .key = kKey, .update = 3, .sentence = {}, .position = {}};
    made.sentence = integers(sentence);
    made.position = integers(position);
    return made;
  }
  // The numbers from `first` on.
  static std::vector<int> numbers(int n, int first = 0) {
    std::vector<int> all;
    for (int r = 0; r < n; ++r) all.push_back(first + r);
    return all;
  }
  std::vector<int> choose(const Array& weights, const MemoryRows& rows, const KeyChoice& how,
                          Array relaxed = {}) const {
    Array chosen = integers(std::vector<int>(static_cast<std::size_t>(weights.rows()), 99));
    on->choose_keys(weights, rows, how, chosen, relaxed);
    const Doubles keys = values(chosen);
    return {keys.begin(), keys.end()};
  }
  // The gradient that the scores e of each row receive from d_weights. A score is q k with q = 1 and k = e, so it is
  // dK.
  Doubles score_gradient(const Array& e, const Array& weights, const Array& d_weights, const MemoryRows& rows) const {
    const std::int64_t n = weights.rows();
    const Array K = e.reshaped({e.count(), 1}), dK = zeros({e.count(), 1});
    on->memory_weights_backward(d_weights, weights, rows_of({1}, static_cast<int>(n)), K, {}, 1, rows, {},
                                Sink::overwrite(dK), {});
    return values(dK);
  }
  Array softmax(const Array& e, const MemoryRows& rows) const {
    Array weights = zeros(e.shape());
    on->memory_weights(rows_of({1}, static_cast<int>(e.rows())), e.reshaped({e.count(), 1}), {}, 1, rows, weights);
    return weights;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, MemoryChoiceKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);
class MemoryChoiceKernelInDouble : public MemoryChoiceKernel {};
INSTANTIATE_TEST_SUITE_P(Devices, MemoryChoiceKernelInDouble, ::testing::ValuesIn(double_cases()), kernel_case_name);

// The random number of key j, as the contract defines it.
double uniform(int sentence, int position, std::size_t j) {
  const Philox4 words = philox({static_cast<std::uint32_t>(j / 4), static_cast<std::uint32_t>(position),
                                static_cast<std::uint32_t>(sentence), 3},
                               kKey);
  return (words[j % 4] + 1.0) / 4294967296.0;
}

// softmax((log weights + noise) / temperature) for the random numbers u of the keys.
Doubles relaxed_choice(const Doubles& weights, const Doubles& u, double temperature) {
  const Doubles powers = map(weights, u, [&](double weight, double number) {
    return std::exp((std::log(weight) - std::log(-std::log(number))) / temperature);
  });
  return map(powers, [sum = dot(powers, Doubles(powers.size(), 1.0))](double x) { return x / sum; });
}

const Doubles kScores = {0.2, -0.4, 1.1};  // of the worked examples
const Doubles kAlpha = {0.249475, 0.136915, 0.613610};

TEST_P(MemoryChoiceKernel, WorkedExampleOfReinforce) {
  // Key i was drawn in row i. The rewards of the keys are -0.5, -2 and -1, the baseline is -1.2.
  const MemoryRows rows = memory(3, 3);
  const Array e = rows_of(kScores, 3), weights = softmax(e, rows), d_weights = random({3, 3}, 1);
  expect_near(values(weights.row_range(0, 1)), kAlpha, 2e-6);
  on->chosen_mix_backward(random({3, 2}, 2), weights, integers({0, 1, 2}), {}, 1,
                          {.credit = array({3}, {0.7, -0.8, 0.2}), .entropy = 0}, random({9, 2}, 3), rows,
                          Sink::overwrite(d_weights), {});
  const Doubles de = score_gradient(e, weights, d_weights, rows);
  expect_near(de, {0.525367, -0.095840, -0.429527, 0.199580, -0.690468, 0.490888, -0.049895, -0.027383, 0.077278},
              3e-6);
  // On average over the draws it is the gradient of the expected reward.
  const Doubles gradient = {0.127776, -0.135248, 0.007472};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(dot(kAlpha, {de[j], de[3 + j], de[6 + j]}), gradient[j], 3e-6);
  }
}

TEST_P(MemoryChoiceKernel, WorkedExampleOfTheEntropy) {
  const MemoryRows rows = memory(1, 3);
  const Array e = rows_of(kScores, 1), weights = softmax(e, rows), d_weights = random({1, 3}, 1);
  on->chosen_mix_backward(random({1, 2}, 2), weights, integers({1}), {}, 1, {.credit = {}, .entropy = 2},
                          random({3, 2}, 3), rows, Sink::overwrite(d_weights), {});
  expect_near(score_gradient(e, weights, d_weights, rows), {-2 * 0.117278, -2 * 0.146513, 2 * 0.263791}, 3e-6);
}

TEST(RelaxedChoice, WorkedExample) {
  const Doubles u = {0.3, 0.6, 0.9};
  expect_near(map(u, [](double x) { return -std::log(-std::log(x)); }), {-0.185627, 0.671727, 2.250367}, 1e-6);
  expect_near(relaxed_choice(kAlpha, u, 1), {0.032895, 0.042550, 0.924555}, 2e-6);
  expect_near(relaxed_choice(kAlpha, u, 0.5), {0.001262, 0.002111, 0.996628}, 2e-6);
}

TEST_P(MemoryChoiceKernel, GumbelNoiseFollowsItsDefinition) {
  constexpr int kRows = 40, kKeys = 70;
  const MemoryRows rows = memory(kRows, kKeys);
  const Array weights = softmax(random({kRows, kKeys}, 1), rows);
  for (const double temperature : {1.0, 0.5}) {
    KeyChoice how = choice(Kind::kGumbel, numbers(kRows, 5), numbers(kRows, 100));
    how.temperature = temperature;
    const Array relaxed = random({kRows, kKeys}, 2);
    const std::vector<int> chosen = choose(weights, rows, how, relaxed);
    Doubles expected;
    for (int r = 0; r < kRows; ++r) {
      Doubles u;
      for (std::size_t j = 0; j < kKeys; ++j) u.push_back(uniform(5 + r, 100 + r, j));
      const Doubles row = relaxed_choice(values(weights.row_range(r, 1)), u, temperature);
      expected.insert(expected.end(), row.begin(), row.end());
      EXPECT_EQ(chosen[static_cast<std::size_t>(r)], std::max_element(row.begin(), row.end()) - row.begin());
    }
    expect_values(relaxed, expected);
  }
}

TEST_P(MemoryChoiceKernel, DrawnKeysFollowTheirDefinition) {
  constexpr int kRows = 50, kKeys = 70;
  const MemoryRows rows = memory(kRows, kKeys);
  const Array weights = softmax(random({kRows, kKeys}, 1), rows);
  const std::vector<int> chosen = choose(weights, rows, choice(Kind::kDrawn, numbers(kRows, 5), numbers(kRows, 100)));
  for (int r = 0; r < kRows; ++r) {
    const Doubles alpha = values(weights.row_range(r, 1));
    double sum = alpha[0];
    std::size_t key = 0;
    while (sum < uniform(5 + r, 100 + r, 0) && key + 1 < kKeys) sum += alpha[++key];
    EXPECT_EQ(chosen[static_cast<std::size_t>(r)], static_cast<int>(key));
  }
}

TEST_P(MemoryChoiceKernel, KeysAreChosenAsOftenAsTheirWeightsSay) {
  constexpr int kRows = 20000;
  const Doubles alpha = {0.125, 0.5, 0, 0.25, 0.0625, 0.0625};
  const Array weights = rows_of(alpha, kRows);
  const std::vector<int> shared(kRows, 0), six(kRows, 6);
  const MemoryRows rows{integers(shared), integers(six), 6};
  for (const Kind kind : {Kind::kDrawn, Kind::kGumbel}) {
    const Array relaxed = kind == Kind::kGumbel ? zeros({kRows, 6}) : Array();
    Doubles counts(6, 0.0);
    for (const int key : choose(weights, rows, choice(kind, numbers(kRows), shared), relaxed)) {
      ++counts.at(static_cast<std::size_t>(key));
    }
    double chi_square = 0;  // with 4 degrees of freedom: 23.5 is exceeded once in ten thousand times
    for (std::size_t j = 0; j < 6; ++j) {
      const double expected = kRows * alpha[j];
      if (expected > 0) chi_square += (counts[j] - expected) * (counts[j] - expected) / expected;
    }
    EXPECT_LT(chi_square, 23.5);
    EXPECT_EQ(counts[2], 0);
  }
}

TEST_P(MemoryChoiceKernel, AShareOfTheSentencesUsesSoftAttentionAtAllPositions) {
  constexpr int kRows = 10000;
  const Array weights = rows_of({0.5, 0.5}, kRows);
  const MemoryRows rows{integers(std::vector<int>(kRows, 0)), integers(std::vector<int>(kRows, 2)), 2};
  const auto chosen_at = [&](int position, double share) {
    KeyChoice how = choice(Kind::kDrawn, numbers(kRows), std::vector<int>(kRows, position));
    how.soft_share = share;
    return choose(weights, rows, how);
  };
  const std::vector<int> first = chosen_at(0, 0.25), second = chosen_at(1, 0.25);
  int soft = 0, same = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    EXPECT_EQ(first[r] == -1, second[r] == -1);
    soft += first[r] == -1;
    same += first[r] == second[r] && first[r] != -1;
  }
  EXPECT_NEAR(soft, 0.25 * kRows, 4 * std::sqrt(kRows * 0.25 * 0.75));
  EXPECT_NEAR(same, 0.375 * kRows, 200);  // but the keys of different positions are drawn independently
  EXPECT_EQ(chosen_at(0, 1), std::vector<int>(kRows, -1));
  EXPECT_EQ(std::ranges::count(chosen_at(0, 0), -1), 0);
}

TEST_P(MemoryChoiceKernel, TheFirstOfTheLargestWeightsIsTaken) {
  const Array weights = array({4, 5}, {0.1, 0.4, 0.1, 0.4, 0,  //
                                       0.5, 0.5, 0,   0,   0,  //
                                       0.2, 0.2, 0.2, 0.2, 0.2, 0, 0, 0, 0, 0});
  const MemoryRows rows{integers({0, 5, 10, 15}), integers({4, 2, 5, 0}), 5};
  EXPECT_EQ(choose(weights, rows, {}), (std::vector<int>{1, 0, 0, -1}));  // a row without keys has none to choose
}

TEST_P(MemoryChoiceKernel, AKeyThatHasAllWeightIsChosen) {
  constexpr int kRows = 1000, kKeys = 40;
  const MemoryRows rows = memory(kRows, kKeys);
  Doubles one_hot(kKeys, 0.0);
  one_hot[33] = 1;
  const Array weights = rows_of(one_hot, kRows), relaxed = random({kRows, kKeys}, 1);
  const std::vector<int> all(kRows, 33), positions(kRows, 1);
  EXPECT_EQ(choose(weights, rows, {}), all);
  EXPECT_EQ(choose(weights, rows, choice(Kind::kDrawn, numbers(kRows), positions)), all);
  EXPECT_EQ(choose(weights, rows, choice(Kind::kGumbel, numbers(kRows), positions), relaxed), all);
  EXPECT_EQ(values(relaxed), values(weights));
  // If the weights sum to almost nothing, the last key that has one is taken.
  one_hot[33] = 1e-12;
  EXPECT_EQ(choose(rows_of(one_hot, kRows), rows, choice(Kind::kDrawn, numbers(kRows), positions)), all);
}

TEST_P(MemoryChoiceKernel, AChoiceDependsNeitherOnOtherRowsNorOnTheWidthOfTheWeights) {
  constexpr int kKeys = 9;
  const std::vector<int> sentence = {4, 0, 2}, position = {0, 7, 7};
  const Array narrow = softmax(random({3, kKeys}, 1), memory(3, kKeys)), wide = zeros({3, 30});
  on->scaled(narrow, 1, Sink::overwrite(wide.columns(0, kKeys)));
  for (const Kind kind : {Kind::kDrawn, Kind::kGumbel}) {
    const bool gumbel = kind == Kind::kGumbel;
    const Array all_relaxed = gumbel ? random({3, 30}, 2) : Array();
    const std::vector<int> all = choose(wide, memory(3, kKeys), choice(kind, sentence, position), all_relaxed);
    for (std::size_t r = 0; r < 3; ++r) {
      const Array relaxed = gumbel ? random({1, kKeys}, 3) : Array();
      const auto row = static_cast<std::int64_t>(r);
      const KeyChoice how = choice(kind, {sentence[r]}, {position[r]});
      EXPECT_EQ(choose(narrow.row_range(row, 1), memory(1, kKeys), how, relaxed).front(), all[r]);
      if (gumbel) {
        EXPECT_EQ(values(relaxed), values(all_relaxed.row_range(row, 1).columns(0, kKeys)));
      }
    }
    if (gumbel) {
      EXPECT_EQ(values(all_relaxed.columns(kKeys, 30 - kKeys)), Doubles(3 * (30 - kKeys), 0.0));
    }
  }
}

TEST_P(MemoryChoiceKernel, TheChosenValueOrTheMeanIsTheOutput) {
  for (const int d_v : {1, 37, 64}) {
    const MemoryRows rows = memory(3, 5);
    const Array weights = softmax(random({3, 5}, 1), rows), V = random_view({15, d_v}, 2);
    Array O = random_view({3, d_v}, 3), mean = zeros({3, d_v});
    on->chosen_mix(weights, integers({4, -1, 0}), V, rows, O);
    on->memory_mix(weights, V, rows, mean);
    EXPECT_EQ(values(O.row_range(0, 1)), values(V.row_range(4, 1)));
    EXPECT_EQ(values(O.row_range(1, 1)), values(mean.row_range(1, 1)));
    EXPECT_EQ(values(O.row_range(2, 1)), values(V.row_range(10, 1)));
  }
}

TEST_P(MemoryChoiceKernel, GradientsReachEverySink) {
  constexpr int kKeys = 5, d_v = 37;
  const MemoryRows rows = memory(3, kKeys);
  const Array weights = softmax(random({3, kKeys}, 1), rows), V = random_view({15, d_v}, 2),
              dO = random_view({3, d_v}, 3), relaxed = softmax(random({3, kKeys}, 4), rows);
  const Array chosen = integers({4, -1, 0});
  const HardCredit credit{.credit = array({3}, {0.5, 3, -2}), .entropy = 0.25};
  // Row 1 uses soft attention; the others add the gradient of their outputs to their key.
  const Array soft_weights = zeros({3, kKeys}), soft_values = zeros({15, d_v});
  on->memory_mix_backward(dO, weights, V, rows, Sink::overwrite(soft_weights), Sink::overwrite(soft_values));
  Doubles dV = values(soft_values);
  const Doubles gradient = values(dO), alpha = values(weights), products = values(soft_weights), w = values(relaxed);
  for (std::size_t m = 0; m < 15; ++m) {
    if (m / kKeys == 1) continue;
    for (std::size_t c = 0; c < d_v; ++c) dV[m * d_v + c] = m == 4 || m == 10 ? gradient[m / kKeys * d_v + c] : 0;
  }
  for (const bool gumbel : {false, true}) {
    Doubles d_weights = products;
    for (const std::size_t r : {0, 2}) {
      const std::size_t key = r == 0 ? 4 : 0;
      double mean = 0;
      for (std::size_t i = r * kKeys; i < (r + 1) * kKeys; ++i) mean += w[i] * products[i];
      for (std::size_t j = 0; j < kKeys; ++j) {
        const std::size_t i = r * kKeys + j;
        d_weights[i] = 0.25 * std::log(alpha[i]) + (j == key ? (r == 0 ? 0.5 : -2) / alpha[i] : 0);
        if (gumbel) d_weights[i] += w[i] * (products[i] - mean) / (0.5 * alpha[i]);
      }
    }
    const auto backward = [&](Sink to_weights, Sink to_values) {
      on->chosen_mix_backward(dO, weights, chosen, gumbel ? relaxed : Array(), 0.5, credit, V, rows, to_weights,
                              to_values);
    };
    expect_in_every_sink(
        {3, kKeys}, d_weights, [&](Sink sink) { backward(sink, {}); }, 50);
    expect_in_every_sink({15, d_v}, dV, [&](Sink sink) { backward({}, sink); });
    expect_in_every_sink({15, d_v}, dV, [&](Sink sink) { backward(Sink::overwrite(zeros({3, kKeys})), sink); });
  }
}

TEST_P(MemoryChoiceKernel, AKeyWithoutWeightGetsNoGradient) {
  const MemoryRows rows = memory(1, 3);
  const Array d_weights = random({1, 3}, 1), weights = array({1, 3}, {0.75, 0, 0.25});
  for (const Array& relaxed : {Array(), array({1, 3}, {0.5, 0, 0.5})}) {
    on->chosen_mix_backward(random({1, 2}, 2), weights, integers({0}), relaxed, 1,
                            {.credit = array({1}, {1}), .entropy = 1}, random({3, 2}, 3), rows,
                            Sink::overwrite(d_weights), {});
    EXPECT_EQ(values(d_weights)[1], 0);
    for (const double gradient : values(d_weights)) EXPECT_TRUE(std::isfinite(gradient));
  }
}

TEST_P(MemoryChoiceKernelInDouble, RelaxedGradientMatchesFiniteDifferences) {
  constexpr int kKeys = 6, d_v = 3;
  const MemoryRows rows = memory(2, kKeys);
  const Array V = random({2 * kKeys, d_v}, 2), dO = random({2, d_v}, 3), relaxed = zeros({2, kKeys});
  const Doubles scores = random_values(2 * kKeys, 1);
  KeyChoice how = choice(Kind::kGumbel, {5, 6}, {0, 1});
  how.temperature = 0.7;
  std::vector<int> chosen;
  // The loss has a term for the entropy, -0.3 H; the output is the mean with the relaxed weights.
  const auto loss = [&](const Doubles& e) {
    const Array weights = softmax(array({2, kKeys}, e), rows);
    Array O = zeros({2, d_v});
    chosen = choose(weights, rows, how, relaxed);
    on->memory_mix(relaxed, V, rows, O);
    double entropy = 0;
    for (const double p : values(weights)) entropy -= p * std::log(p);
    return dot(values(O), values(dO)) - 0.3 * entropy;
  };
  const Doubles expected = central_differences(loss, scores);
  loss(scores);
  const Array e = array({2, kKeys}, scores), weights = softmax(e, rows), d_weights = zeros({2, kKeys});
  on->chosen_mix_backward(dO, weights, integers(chosen), relaxed, how.temperature, {.credit = {}, .entropy = 0.3}, V,
                          rows, Sink::overwrite(d_weights), {});
  expect_near(score_gradient(e, weights, d_weights, rows), expected, 1e-8);
}

}  // namespace
}  // namespace dragoman
