#include "dragoman/decode/inside/forced.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/decode/engine/engine.h"
#include "dragoman/decode/testing.h"

namespace dragoman::decode {
namespace {

constexpr auto kSites = {model::transformer::kEncoderSite, model::transformer::kDecoderSite,
                         model::transformer::kCrossSite};

// softmax(q K^T / sqrt(d_k)) over the first `keys` keys, computed from the definition.
std::vector<double> by_equation(const HeadProjections& seen, std::int64_t query, std::int64_t keys) {
  std::vector<double> scores;
  double sum = 0;
  for (std::int64_t key = 0; key < keys; ++key) {
    double product = 0;
    for (std::int64_t i = 0; i < seen.d_k; ++i) product += seen.Q[query * seen.d_k + i] * seen.K[key * seen.d_k + i];
    sum += scores.emplace_back(std::exp(product / std::sqrt(static_cast<double>(seen.d_k))));
  }
  for (double& score : scores) score /= sum;
  return scores;
}

TEST(Forced, QueriesAndKeysGiveTheWeightsByEquationOne) {
  const model::SmallModel small(untied_config());
  const data::SentencePair pair{{5, 9, 120, 7, kEos}, {8, 30, 6, kEos}};
  ForcedChoice choice;
  for (const int site : kSites) choice.projections.push_back({site, 1, 1});
  const Forced forced = run_forced(*small.on, small.model, pair, choice);
  ASSERT_EQ(forced.projections.size(), 3u);
  for (const HeadProjections& seen : forced.projections) {
    const Attention& weights = forced.attention[seen.head.site];
    for (std::int64_t query = 0; query < weights.queries; ++query) {
      const bool causal = seen.head.site == model::transformer::kDecoderSite;
      const std::vector<double> expected = by_equation(seen, query, causal ? query + 1 : weights.keys);
      for (std::int64_t key = 0; key < weights.keys; ++key) {
        const double weight = key < std::ssize(expected) ? expected[key] : 0.0;
        EXPECT_NEAR(weights.at(seen.head.layer, seen.head.head, query, key), weight, 1e-6);
      }
    }
  }
}

TEST(Forced, ShowsTheTraceOfTheSearch) {
  const model::SmallModel small(untied_config());
  const nn::Head off{model::transformer::kCrossSite, 0, 1};
  Engine engine(*small.on, {&small.model}, {.beam = 3, .max_extra = 6}, {.sentences = 2, .source_tokens = 20});
  engine.add({.source = {5, 9, 120, kEos}, .prefix = {}, .options = {.heads_off = {off}, .trace = true}});
  std::vector<Result> results;
  while (results.empty()) results = engine.step();
  const Hypothesis& best = results[0].hypotheses.front();
  data::SentencePair pair{{5, 9, 120, kEos}, best.tokens};
  if (best.finished) pair.target.push_back(kEos);
  const Forced forced = run_forced(*small.on, small.model, pair, {.projections = {}, .switched_off = {off}});
  EXPECT_EQ(forced.attention[model::transformer::kEncoderSite].weights,
            results[0].trace->attention(model::transformer::kEncoderSite, best).weights);
  EXPECT_EQ(forced.attention[model::transformer::kDecoderSite].weights,
            results[0].trace->attention(model::transformer::kDecoderSite, best).weights);
  EXPECT_EQ(forced.attention[model::transformer::kCrossSite].weights, results[0].trace->cross(best).weights);
}

TEST(Forced, ATraceOfSomeLayersIsThatPartOfTheWhole) {
  const model::SmallModel small(untied_config());
  Engine engine(*small.on, {&small.model}, {.beam = 2, .max_extra = 6}, {.sentences = 2, .source_tokens = 20});
  const data::Sentence source{5, 9, 120, kEos};
  engine.add({.source = source, .prefix = {}, .number = 0, .options = {.trace = true}});
  engine.add({.source = source, .prefix = {}, .number = 1, .options = {.trace = true, .trace_layers = {1}}});
  std::map<std::uint64_t, Result> results;
  while (!engine.idle()) {
    for (Result& result : engine.step()) results.emplace(result.number, std::move(result));
  }
  const Hypothesis& best = results.at(0).hypotheses.front();
  const auto second_layer = [](const Attention& all) {
    return std::vector<float>(all.weights.begin() + std::ssize(all.weights) / 2, all.weights.end());
  };
  ASSERT_EQ(results.at(0).trace->attention(model::transformer::kEncoderSite, best).layers, 2);
  EXPECT_EQ(results.at(1).trace->attention(model::transformer::kEncoderSite, best).weights,
            second_layer(results.at(0).trace->attention(model::transformer::kEncoderSite, best)));
  EXPECT_EQ(results.at(1).trace->cross(best).weights, second_layer(results.at(0).trace->cross(best)));
}

}  // namespace
}  // namespace dragoman::decode
