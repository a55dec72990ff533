#include "dragoman/decode/inside/steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/decode/inside/forced.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/steps_testing.h"

namespace dragoman::decode {
namespace {

using model::transformer::kCrossSite, model::transformer::kDecoderSite, model::transformer::kEncoderSite;
using model::transformer::Norm;

const data::SentencePair kStepsPair{{5, 9, 120, 7, kEos}, {8, 30, 6, kEos}};

model::TransformerConfig steps_config(Norm norm) {
  model::TransformerConfig config = untied_config();
  config.norm = norm;
  config.attention_bias = true;
  return config;
}

// A model with random biases and norms, and the steps of its layers.
struct StepsModel {
  explicit StepsModel(Norm norm) : small(steps_config(norm)) { small.add_noise(); }

  LayerSteps steps(int site, int layer, std::optional<std::int64_t> query = std::nullopt,
                   const std::vector<nn::Head>& off = {}) const {
    const StepsChoice choice{.site = site, .layer = layer, .query = query, .units = 3};
    return *run_forced(*small.on, small.model, kStepsPair,
                       {.projections = {}, .switched_off = off, .next_words = {}, .steps = choice})
                .steps;
  }

  model::SmallModel small;
};

constexpr double kTolerance = 2e-5;

// Element i of the sum of the rows of a matrix [rows, columns], and of `more`.
double column_sum(const std::vector<float>& matrix, std::size_t columns, std::size_t i,
                  std::initializer_list<const std::vector<float>*> more) {
  double sum = 0;
  for (std::size_t at = i; at < matrix.size(); at += columns) sum += matrix[at];
  for (const std::vector<float>* vector : more) sum += (*vector)[i];
  return sum;
}

void expect_heads(const QuerySteps& query, const LayerSteps& layer) {
  const std::size_t width = layer.V.size() / layer.keys, d_v = width / layer.h;
  for (std::size_t column = 0; column < width; ++column) {
    double sum = 0;
    for (std::int64_t key = 0; key < layer.keys; ++key) {
      sum += double{query.weights[column / d_v * layer.keys + key]} * layer.V[key * width + column];
    }
    EXPECT_NEAR(query.heads[column], sum, kTolerance);
  }
  for (std::size_t i = 0; i < query.output.size(); ++i) {
    EXPECT_NEAR(query.output[i], column_sum(query.contributions, query.output.size(), i, {&layer.b_O}), kTolerance);
  }
}

void expect_add_norm(const AddNormRow& row, const std::vector<float>& a, const NormParameters& norm) {
  const auto d = static_cast<double>(row.s.size());
  double mean = 0, variance = 0;
  for (const float s : row.s) mean += s / d;
  for (const float s : row.s) variance += (s - mean) * (s - mean) / d;
  EXPECT_NEAR(row.mean, mean, kTolerance);
  EXPECT_NEAR(row.rstd * std::sqrt(variance + norm.eps), 1, kTolerance);
  for (std::size_t i = 0; i < row.s.size(); ++i) {
    EXPECT_EQ(row.s[i], row.x[i] + a[i]);  // one addition in float32: no rounding may differ
    EXPECT_NEAR(row.y[i], norm.gamma[i] * (row.s[i] - mean) / std::sqrt(variance + norm.eps) + norm.beta[i], 1e-4);
  }
}

void expect_feed_forward(const FeedForwardRow& row, const LayerSteps& layer) {
  const std::size_t d = row.output.size();
  ASSERT_EQ(row.units.size(), 3u);
  for (std::size_t u = 0; u < row.units.size(); ++u) {
    const Unit& unit = row.units[u];
    EXPECT_EQ(unit.activation, row.inner[unit.unit]);
    double product = unit.b_1;
    for (std::size_t i = 0; i < d; ++i) product += double{row.x[i]} * row.w_1[u * d + i];
    EXPECT_NEAR(unit.activation, product, kTolerance);
    EXPECT_LE(unit.activation, row.units[u > 0 ? u - 1 : 0].activation);
  }
  EXPECT_EQ(row.units.front().activation, std::ranges::max(row.inner));
  EXPECT_GE(std::ranges::min(row.inner), 0);
  for (std::size_t i = 0; i < d; ++i) {
    EXPECT_NEAR(row.output[i], column_sum(row.contributions, d, i, {&row.rest, &layer.b_2}), kTolerance);
  }
}

void expect_shares_add_up(const FeedForwardRow& row, const LayerSteps& layer) {
  double along = 0, length = 0, shares = 0;
  for (std::size_t i = 0; i < row.output.size(); ++i) {
    along += (double{row.rest[i]} + layer.b_2[i]) * row.output[i];
    length += double{row.output[i]} * row.output[i];
  }
  for (const Unit& unit : row.units) shares += unit.share;
  EXPECT_NEAR(shares + along / length, 1, 1e-4);
}

class StepsOfBothNorms : public testing::TestWithParam<Norm> {
 protected:
  const StepsModel model_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(, StepsOfBothNorms, testing::Values(Norm::kPost, Norm::kPre),
                         [](const auto& tested) { return tested.param == Norm::kPost ? "Post" : "Pre"; });

TEST_P(StepsOfBothNorms, FollowFromEachOther) {
  for (const int site : {kEncoderSite, kDecoderSite, kCrossSite}) {
    for (const int layer : {0, 1}) {
      const LayerSteps steps = model_.steps(site, layer);
      EXPECT_EQ(steps.keeps_sum, GetParam() == Norm::kPre);
      ASSERT_EQ(steps.queries.size(), site == kEncoderSite ? kStepsPair.source.size() : kStepsPair.target.size());
      for (const QuerySteps& query : steps.queries) {
        expect_heads(query, steps);
        expect_add_norm(query.add_norm, query.output, steps.attention_norm);
        expect_feed_forward(query.feed_forward, steps);
        expect_shares_add_up(query.feed_forward, steps);
        expect_add_norm(query.feed_forward.add_norm, query.feed_forward.output, steps.feed_forward_norm);
      }
    }
  }
}

// The weights are those of the trace, bit for bit.
TEST_P(StepsOfBothNorms, BeginWithTheWeightsOfTheTrace) {
  const Forced forced = run_forced(*model_.small.on, model_.small.model, kStepsPair);
  for (const int site : {kEncoderSite, kDecoderSite, kCrossSite}) {
    const LayerSteps steps = model_.steps(site, 1);
    const Attention& attention = forced.attention[site];
    for (const QuerySteps& query : steps.queries) {
      for (std::int64_t i = 0; i < std::ssize(query.weights); ++i) {
        EXPECT_EQ(query.weights[i], attention.at(1, i / steps.keys, query.query, i % steps.keys));
      }
    }
  }
}

// Each sub-layer reads what the one before it wrote, bit for bit.
TEST_P(StepsOfBothNorms, AreAChain) {
  const auto expect_next = [&](const AddNormRow& before, const std::vector<float>& input, const std::vector<float>& x) {
    EXPECT_EQ(input, before.y);
    EXPECT_EQ(x, GetParam() == Norm::kPre ? before.s : before.y);
  };
  for (const int site : {kEncoderSite, kCrossSite}) {
    for (const int layer : {0, 1}) {
      for (const auto& [query, weights, heads, parts, output, add_norm, ffn] : model_.steps(site, layer).queries) {
        expect_next(add_norm, ffn.x, ffn.add_norm.x);
      }
    }
  }
  const LayerSteps self = model_.steps(kDecoderSite, 1), cross = model_.steps(kCrossSite, 1);
  const LayerSteps below = model_.steps(kCrossSite, 0);
  for (std::size_t i = 0; i < self.queries.size(); ++i) {
    const AddNormRow& after_self = self.queries[i].add_norm;
    const AddNormRow& after_layer = below.queries[i].feed_forward.add_norm;
    EXPECT_EQ(cross.queries[i].add_norm.x, GetParam() == Norm::kPre ? after_self.s : after_self.y);
    EXPECT_EQ(after_self.x, GetParam() == Norm::kPre ? after_layer.s : after_layer.y);
    EXPECT_EQ(self.queries[i].feed_forward.output, cross.queries[i].feed_forward.output);
  }
}

// The end of the last layer is what the output projection and the cross-attention read, bit for bit.
TEST_P(StepsOfBothNorms, EndWithTheStatesOfTheModel) {
  const auto last_rows = [](const LayerSteps& steps) {
    Doubles rows;
    for (const QuerySteps& query : steps.queries) {
      rows.insert(rows.end(), query.feed_forward.add_norm.y.begin(), query.feed_forward.add_norm.y.end());
    }
    return rows;
  };
  const model::SmallModel& small = model_.small;
  const data::Sentence input = model::shifted(small, kStepsPair.target);
  EXPECT_EQ(last_rows(model_.steps(kEncoderSite, 1)), model::encoder_states(small, {kStepsPair.source}, 0));
  EXPECT_EQ(last_rows(model_.steps(kCrossSite, 1)),
            model::decoder_rows(small, {kStepsPair.source}, {input}, 0, model::Output::kStates));
}

TEST(Steps, OfOneQueryAreThoseOfAllQueries) {
  const StepsModel model(Norm::kPost);
  const LayerSteps all = model.steps(kCrossSite, 0), one = model.steps(kCrossSite, 0, 2);
  ASSERT_EQ(one.queries.size(), 1u);
  EXPECT_EQ(one.queries[0].query, 2);
  EXPECT_EQ(one.queries[0].contributions, all.queries[2].contributions);
  EXPECT_EQ(one.queries[0].feed_forward.contributions, all.queries[2].feed_forward.contributions);
  EXPECT_TRUE(model.steps(kCrossSite, 0, 4).queries.empty());  // the translation has four tokens
}

TEST(Steps, AHeadThatIsSwitchedOffContributesNothing) {
  const StepsModel model(Norm::kPost);
  const QuerySteps query = model.steps(kCrossSite, 0, 1, {{kCrossSite, 0, 1}}).queries.front();
  const std::size_t d_v = query.heads.size() / 2, d = query.output.size();
  for (std::size_t i = 0; i < d_v; ++i) EXPECT_EQ(query.heads[d_v + i], 0);
  for (std::size_t i = 0; i < d; ++i) EXPECT_EQ(query.contributions[d + i], 0);
  EXPECT_NE(query.heads[0], 0);
}

}  // namespace
}  // namespace dragoman::decode
