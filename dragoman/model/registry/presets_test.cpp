#include "dragoman/model/registry/registry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/model/transformer/transformer.h"

namespace dragoman::model {
namespace {

// The number of parameters by closed form, independent of how the model lists its tensors. A, F and L are the
// parameters of an attention, a feed-forward sub-layer and a LayerNorm, and R is the number of rows of all embeddings.
std::int64_t closed_form(const TransformerConfig& c) {
  const std::int64_t d = c.d_model, h = c.h, d_ff = c.d_ff;
  const std::int64_t d_k = c.d_k > 0 ? int{c.d_k} : d / h, d_v = c.d_v > 0 ? int{c.d_v} : d / h;
  const std::int64_t b = c.attention_bias ? 1 : 0;
  const std::int64_t A = d * h * (2 * d_k + d_v) + h * d_v * d + b * (h * (2 * d_k + d_v) + d);
  const std::int64_t F = 2 * d * d_ff + d_ff + d;
  const std::int64_t L = 2 * d;
  const std::int64_t R = c.tie == Tie::kThreeWay ? c.V_target : c.V_source + (c.tie == Tie::kNone ? 2 : 1) * c.V_target;
  std::int64_t P = c.N_enc * (A + F + 2 * L) + c.N_dec * (2 * A + F + 3 * L) + R * d;
  if (c.norm == transformer::Norm::kPre) P += 2 * L;
  if (c.positions == transformer::Positions::kLearned) P += 2 * c.max_positions * d;
  if (c.target_space_table) P += 32 * d;
  if (c.output_bias) P += c.V_target;
  return P;
}

void expect_count(const TransformerConfig& config, std::int64_t count) {
  EXPECT_EQ(closed_form(config), count);
  EXPECT_EQ(parameter_count(config), count);
}
void expect_count(const ModelConfig& config, std::int64_t count) {
  expect_count(config.as<TransformerConfig>(), count);
}

// A row of Table 3: the number of parameters with 37,000 words and no attention bias, the number in the layout of the
// 2017 code, and the published number in millions: 0 if the paper does not state it, or if our number differs from it.
struct Row {
  const char* name;
  std::int64_t nominal;
  std::int64_t as_of_2017;
  int published_millions;
};

constexpr std::int64_t kLearnedTables = 2 * 1024 * 512;

constexpr Row kTable3[] = {
    {"base", 63'045'632, 65'126'400, 65},
    {"A-h1", 63'045'632, 65'126'400, 0},
    {"A-h4", 63'045'632, 65'126'400, 0},
    {"A-h16", 63'045'632, 65'126'400, 0},
    {"A-h32", 63'045'632, 65'126'400, 0},
    {"B-dk16", 55'967'744, 58'034'688, 58},
    {"B-dk32", 58'327'040, 60'398'592, 60},
    {"C-N2", 33'644'544, 35'700'736, 36},
    {"C-N4", 48'345'088, 50'413'568, 50},
    {"C-N8", 77'746'176, 79'839'232, 80},
    {"C-d256", 26'816'512, 27'856'896, 28},
    {"C-d1024", 163'815'424, 167'976'960, 168},
    {"C-dff1024", 50'450'432, 52'531'200, 53},
    {"C-dff4096", 88'236'032, 90'316'800, 90},
    {"D-drop0", 63'045'632, 65'126'400, 0},
    {"D-drop0.2", 63'045'632, 65'126'400, 0},
    {"D-ls0", 63'045'632, 65'126'400, 0},
    {"D-ls0.2", 63'045'632, 65'126'400, 0},
    {"E-learned", 63'045'632 + kLearnedTables, 65'126'400 + kLearnedTables, 0},
    {"big", 214'171'648, 218'333'184, 0},  // the paper states 213; no vocabulary that fits the other rows gives it
};

class Table3 : public testing::TestWithParam<Row> {};

TEST_P(Table3, HasItsNumberOfParameters) { expect_count(preset(GetParam().name).model, GetParam().nominal); }

TEST_P(Table3, HasThePublishedNumberInTheLayoutOf2017) {
  auto config = preset(GetParam().name).model.as<TransformerConfig>();
  config.V_source = config.V_target = 40960;
  config.attention_bias = true;
  config.target_space_table = true;
  expect_count(config, GetParam().as_of_2017);
  if (GetParam().published_millions > 0) {
    EXPECT_EQ(std::lround(static_cast<double>(GetParam().as_of_2017) / 1e6), GetParam().published_millions);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Table3, testing::ValuesIn(kTable3), [](const auto& row) {
  std::string name = row.param.name;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

TransformerConfig big_with_separate_vocabularies(Tie tie) {
  auto config = preset("big").model.as<TransformerConfig>();
  config.norm = transformer::Norm::kPre;
  config.attention_bias = true;
  config.V_source = config.V_target = 70000;
  config.tie = tie;
  return config;
}

TEST(ParameterCount, MatchesCountsReportedForOtherSystems) {
  expect_count(big_with_separate_vocabularies(Tie::kNone), 391'401'472);
  expect_count(big_with_separate_vocabularies(Tie::kDecoder), 319'721'472);
  expect_count({.d_ff = 1024, .h = 4, .V_source = 8848, .V_target = 6632, .tie = Tie::kDecoder, .attention_bias = true},
               39'469'056);
  expect_count({.V_source = 32000, .V_target = 32000, .norm = transformer::Norm::kPre, .attention_bias = true},
               60'524'544);
}

TEST(ParameterCount, OfSmallModelsIsThatOfTheirLayersPlusTheEmbedding) {
  expect_count({.d_model = 256,
                .d_ff = 1024,
                .h = 4,
                .V_source = 31000,
                .V_target = 31000,
                .norm = transformer::Norm::kPre,
                .attention_bias = true},
               11'060'224 + 31000 * 256);
  expect_count(preset("multi30k-tiny").model, 1'325'056 + 10000 * 128);
}

TEST(ParameterCount, OfASmallModelMatchesItsClosedForm) {
  expect_count({.N_enc = 2,
                .N_dec = 2,
                .d_model = 64,
                .d_ff = 256,
                .h = 4,
                .V_source = 54,
                .V_target = 54,
                .norm = transformer::Norm::kPre,
                .attention_bias = true},
               237'184);
}

TEST(ParameterCount, GrowsByTheOutputBias) {
  TransformerConfig config;
  config.output_bias = true;
  expect_count(config, 63'045'632 + 37000);
}

TEST(Preset, EveryPresetIsValid) {
  for (const std::string& name : preset_names()) {
    const Preset found = preset(name);
    EXPECT_EQ(found.name, name);
    EXPECT_FALSE(found.summary.empty());
    EXPECT_NO_THROW(found.model.validate()) << name;
    EXPECT_NO_THROW(found.training.validate()) << name;
    if (found.model.arch() != TransformerConfig::kArch) continue;
    expect_count(found.model, closed_form(found.model.as<TransformerConfig>()));
  }
}

TEST(Preset, TheBlocksOfEveryPresetFitItsAttentionSites) {
  for (const std::string& name : preset_names()) {
    const auto model = preset(name).model.make_model();
    EXPECT_EQ(mistake_in(model->blocks(), model->sites()), "") << name;
  }
}

TEST(Preset, OfTable3OnlyBaseAndBigAverageCheckpoints) {
  for (const Row& row : kTable3) {
    const std::string name = row.name;
    EXPECT_EQ(preset(name).training.average, name == "base" ? 5 : name == "big" ? 20 : 0) << name;
  }
}

TEST(Preset, T2t2017HasTheParametersOfThePublicCode) { expect_count(preset("t2t-2017").model, 65'126'400); }

TEST(Preset, RatesPeakWhereTheirRecipesSay) {
  const auto peak = [](const Preset& p) {
    return p.training.rate_constant / std::sqrt(static_cast<double>(p.model.width()) * p.training.warmup);
  };
  EXPECT_NEAR(peak(preset("base")), 6.987712e-4, 1e-10);
  EXPECT_NEAR(peak(preset("iwslt")), 5e-4, 1e-12);
  EXPECT_NEAR(peak(preset("multi30k-tiny")), 5e-3, 1e-12);
}

TEST(Preset, AnUnknownNameGetsTheNearestAsASuggestion) {
  try {
    preset("bse");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no preset 'bse'. Did you mean 'base'? 'dragoman inspect --list' shows them all.");
  }
}

}  // namespace
}  // namespace dragoman::model
