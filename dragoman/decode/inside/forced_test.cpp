#include "dragoman/decode/inside/forced.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "dragoman/decode/engine/engine.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/recurrent/testing.h"

namespace dragoman::decode {
namespace {

constexpr auto kSites = {model::transformer::kEncoderSite, model::transformer::kDecoderSite,
                         model::transformer::kCrossSite};

// The softmax over the first `keys` keys of the scores of a query, computed from the definition.
std::vector<double> by_equation(const HeadProjections& seen, nn::SiteScore score, std::int64_t query,
                                std::int64_t keys) {
  std::vector<double> scores;
  double sum = 0;
  const double scale = score == nn::SiteScore::kScaledProduct ? std::sqrt(static_cast<double>(seen.d_k)) : 1.0;
  for (std::int64_t key = 0; key < keys; ++key) {
    double total = 0;
    for (std::int64_t i = 0; i < seen.d_k; ++i) {
      const double q = seen.Q[query * seen.d_k + i], k = seen.K[key * seen.d_k + i];
      total += score == nn::SiteScore::kAdditive ? seen.v[i] * std::tanh(q + k) : q * k;
    }
    sum += scores.emplace_back(std::exp(total / scale));
  }
  for (double& weight : scores) weight /= sum;
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
      const std::vector<double> expected =
          by_equation(seen, nn::SiteScore::kScaledProduct, query, causal ? query + 1 : weights.keys);
      for (std::int64_t key = 0; key < weights.keys; ++key) {
        const double weight = key < std::ssize(expected) ? expected[key] : 0.0;
        EXPECT_NEAR(weights.at(seen.head.layer, seen.head.head, query, key), weight, 1e-6);
      }
    }
  }
}

TEST(Forced, RunsModelsThatStartFromAZeroVector) {
  model::TransformerConfig config = untied_config();
  config.decoder_start = model::DecoderStart::kZeroVector;
  const model::SmallModel small(config);
  const Forced forced = run_forced(*small.on, small.model, {{5, 9, kEos}, {8, 30, kEos}});
  const Attention& weights = forced.attention[model::transformer::kDecoderSite];
  EXPECT_EQ(weights.at(0, 0, 0, 0), 1);
}

using model::recurrent::ContextName;
using model::recurrent::ModeName;
using model::recurrent::ScoreName;
using model::recurrent::SmallRecurrent;

// What a small recurrent model shows of a sentence, with all steps of its attention.
Forced of_recurrent(const SmallRecurrent& small) {
  ForcedChoice choice;
  choice.projections = {{0, 0, 0}};
  choice.steps = StepsChoice{};
  return run_forced(*small.on, small.model, {{5, 9, 12, 7, kEos}, {8, 30, 6, kEos}}, choice);
}

TEST(Forced, QueriesAndKeysOfARecurrentModelGiveTheWeightsByItsScore) {
  for (std::size_t score = 0; score < names(ScoreName()).size(); ++score) {
    for (const ContextName context : {ContextName::kPrevious, ContextName::kCurrent, ContextName::kConditional}) {
      SCOPED_TRACE(std::string(names(ScoreName())[score]) + ", " + std::string(to_string(context)));
      auto config = model::recurrent::small_recurrent();
      config.score = static_cast<ScoreName>(score);
      config.context = context;
      SmallRecurrent small(config);
      small.add_noise();
      const Forced forced = of_recurrent(small);
      ASSERT_EQ(forced.projections.size(), 1u);
      const HeadProjections& seen = forced.projections.front();
      EXPECT_EQ(seen.d_k, forced.sites[0].d_k);
      EXPECT_EQ(seen.v.empty(), forced.sites[0].score != nn::SiteScore::kAdditive);
      for (std::int64_t query = 0; query < 4; ++query) {
        const std::vector<double> expected = by_equation(seen, forced.sites[0].score, query, 5);
        for (std::int64_t key = 0; key < 5; ++key) {
          EXPECT_NEAR(forced.attention[0].at(0, 0, query, key), expected[key], 1e-5);
        }
      }
    }
  }
}

TEST(Forced, WeightsTimesValuesGiveTheContextOfARecurrentModel) {
  for (const ModeName mode : {ModeName::kSoft, ModeName::kHard}) {
    auto config = model::recurrent::small_recurrent();
    config.score = ScoreName::kAlign;
    config.value_width = 7;
    config.mode = mode;
    SmallRecurrent small(config);
    small.add_noise();
    const LayerSteps steps = of_recurrent(small).steps.value();
    ASSERT_EQ(steps.queries.size(), 4u);
    for (const QuerySteps& query : steps.queries) {
      EXPECT_TRUE(query.output.empty() && query.contributions.empty());  // there is no W^O
      for (std::size_t c = 0; c < 7; ++c) {
        double sum = 0;
        for (std::size_t key = 0; key < 5; ++key) sum += query.weights[key] * steps.V[key * 7 + c];
        EXPECT_NEAR(query.heads[c], sum, 1e-5);
      }
    }
  }
}

TEST(Forced, HardAttentionShowsTheKeyWithTheLargestWeight) {
  auto config = model::recurrent::small_recurrent();
  config.mode = ModeName::kHard;
  SmallRecurrent small(config);
  small.add_noise();
  const Forced forced = of_recurrent(small);
  EXPECT_TRUE(forced.sites[0].chooses_one);
  for (std::int64_t query = 0; query < 4; ++query) {
    const std::vector<double> soft = by_equation(forced.projections[0], nn::SiteScore::kAdditive, query, 5);
    const std::int64_t largest = std::ranges::distance(soft.begin(), std::ranges::max_element(soft));
    for (std::int64_t key = 0; key < 5; ++key) {
      EXPECT_EQ(forced.attention[0].at(0, 0, query, key), key == largest ? 1.0f : 0.0f);
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
