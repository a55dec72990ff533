// Decoding step by step gives what teacher forcing gives, for each variant of the model and for hypotheses that fork,
// end and enter late.
#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/model/steps_testing.h"

namespace dragoman::model::transformer {
namespace {

struct Variant {
  const char* name;
  void (*change)(TransformerConfig& config);
};

constexpr Variant kVariants[] = {
    {"PostNorm", [](auto&) {}},
    {"PreNorm", [](auto& c) { c.norm = Norm::kPre; }},
    {"SinusoidsOfTensor2Tensor", [](auto& c) { c.positions = Positions::kSinusoidT2T; }},
    {"LearnedPositions", [](auto& c) { c.positions = Positions::kLearned; }},
    {"SinusoidsInHalves", [](auto& c) { c.positions = Positions::kSinusoidHalf; }},
    {"SinusoidsFromPositionTwo", [](auto& c) { c.positions = Positions::kSinusoidT2T, c.first_position = 2; }},
    {"LearnedPositionsFromRowTwo", [](auto& c) { c.positions = Positions::kLearned, c.first_position = 2; }},
    {"NoPositions", [](auto& c) { c.positions = Positions::kNone; }},
    {"Window", [](auto& c) { c.window = 3; }},
    {"Blocks", [](auto& c) { c.window = 3, c.window_kind = Mask::Window::kBlock; }},
    {"AttentionBias", [](auto& c) { c.attention_bias = true; }},
    {"OutputBias", [](auto& c) { c.output_bias = true; }},
    {"NarrowKeys", [](auto& c) { c.d_k = 3; }},
    {"DecoderTied", [](auto& c) { c.tie = Tie::kDecoder, c.V_source = 50; }},
    {"Untied", [](auto& c) { c.tie = Tie::kNone, c.V_source = 50; }},
    {"StartsFromEos", [](auto& c) { c.decoder_start = DecoderStart::kEos; }},
    {"StartsFromZero", [](auto& c) { c.decoder_start = DecoderStart::kZeroVector; }},
    {"PlainProducts", [](auto& c) { c.attention_score = nn::AttentionScore::kDot; }},
    {"AdditiveScores", [](auto& c) { c.attention_score = nn::AttentionScore::kAdditive; }},
    {"AdditiveScoresWithWindowAndBiases",
     [](auto& c) { c.attention_score = nn::AttentionScore::kAdditive, c.window = 3, c.attention_bias = true; }},
    {"Silu", [](auto& c) { c.activation = nn::HiddenActivation::kSilu; }},
    {"Gelu", [](auto& c) { c.activation = nn::HiddenActivation::kGelu; }},
    {"GeluByTanh", [](auto& c) { c.activation = nn::HiddenActivation::kGeluTanh; }},
    {"GeluBySigmoid", [](auto& c) { c.activation = nn::HiddenActivation::kGeluSigmoid; }},
    {"UnscaledEmbeddings", [](auto& c) { c.scale = EmbeddingScale::kNone; }},
    {"WiderDecoder", [](auto& c) { c.h_dec = 5, c.d_ff_dec = 50; }},
    {"BatchNorm", [](auto& c) { c.norm_kind = NormKind::kBatch; }},
    {"PreBatchNorm", [](auto& c) { c.norm_kind = NormKind::kBatch, c.norm = Norm::kPre; }},
    {"PreNormWithWindowAndBiases",
     [](auto& c) { c.norm = Norm::kPre, c.window = 4, c.attention_bias = c.output_bias = true, c.N_dec = 3; }},
};

class Variants : public ::testing::TestWithParam<Variant> {
 protected:
  Variants() { small.add_noise(); }
  static TransformerConfig config() {
    TransformerConfig changed = small_config();
    GetParam().change(changed);
    return changed;
  }

  SmallModel small{config()};
};
INSTANTIATE_TEST_SUITE_P(Configurations, Variants, ::testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.name; });

TEST_P(Variants, CachedStepsGiveTheBitsOfTeacherForcing) {
  const Sentences sources{{5, 6, 7, 8, 2}, {9, 2}, {11, 12, 13, 2}};
  const Sentences targets{{20, 21, 22, 23, 24, 2}, {30, 31, 32, 33, 34, 35}, {20, 20, 20, 20, 20, 2}};
  Sentences inputs;
  for (const Sentence& target : targets) inputs.push_back(shifted(small, target));
  std::vector<Doubles> forced;
  for (std::size_t b = 0; b < 3; ++b) {
    forced.push_back(decoder_rows(small, sources, inputs, b, Output::kLogProbabilities));
  }
  Steps steps(small, sources, 3 * 6);
  const auto V = static_cast<std::size_t>(small.model.target_vocabulary());
  for (std::size_t t = 0; t < 6; ++t) {
    const std::vector<Doubles> cached = steps.step({inputs[0][t], inputs[1][t], inputs[2][t]});
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_EQ(cached[b], Doubles(forced[b].begin() + t * V, forced[b].begin() + (t + 1) * V));
    }
  }
}

TEST_P(Variants, ProbabilitiesSumToOne) {
  double sum = 0;
  for (const double log_p : alone(small, {5, 6, 2}, {small.model.start_token(), 7})) sum += std::exp(log_p);
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(Reorder, PermutingRowsPermutesResults) {
  const SmallModel small;
  const Sentences sources{{5, 6, 7, 2}, {8, 2}, {9, 10, 2}};
  Steps plain(small, sources, 3 * 4), permuted(small, sources, 3 * 4);
  plain.step({1, 1, 1});
  permuted.step({1, 1, 1});
  permuted.state.reorder(std::vector<std::int32_t>{2, 0, 1});
  for (const Sentence& ids : Sentences{{20, 21, 22}, {23, 24, 25}}) {
    const std::vector<Doubles> expected = plain.step(ids), actual = permuted.step({ids[2], ids[0], ids[1]});
    EXPECT_EQ(actual[0], expected[2]);
    EXPECT_EQ(actual[1], expected[0]);
    EXPECT_EQ(actual[2], expected[1]);
  }
}

TEST(Reorder, EveryHypothesisScoresAsIfItWereAlone) {
  for (const bool window : {false, true}) {
    TransformerConfig config = small_config();
    if (window) config.window = 3;
    expect_scores_as_if_alone(SmallModel(config, {.threads = 2}), 8, window ? 8 : 7);
    config.attention_score = nn::AttentionScore::kAdditive;
    config.norm_kind = NormKind::kBatch;
    expect_scores_as_if_alone(SmallModel(config, {.threads = 2}), 8, window ? 8 : 7);
  }
}

TEST(Reorder, RefusesRowsThatAreNotThere) {
  const SmallModel small;
  Steps steps(small, {{5, 2}, {6, 2}}, 8);
  EXPECT_THROW(steps.state.reorder(std::vector<std::int32_t>{0, 2}), Error);
  EXPECT_THROW(steps.state.reorder(std::vector<std::int32_t>{-1}), Error);
  EXPECT_NO_THROW(steps.state.reorder(std::vector<std::int32_t>{1, 1, 0}));
}

TEST(Step, RefusesMoreTokensThanItHasCellsFor) {
  const SmallModel small;
  Steps steps(small, {{5, 2}}, 2);
  steps.step({1});
  steps.step({7});
  EXPECT_THROW(steps.step({8}), Error);
}

TEST(DecoderState, ASentenceThatEntersLateScoresAsIfItWereAlone) {
  const SmallModel small;
  const Sentences sources{{5, 6, 7, 2}, {8, 2}};
  Steps steps(small, sources, 12);
  steps.step({1, 1});
  steps.step({20, 21});
  steps.state.reorder(std::vector<std::int32_t>{1});  // the first sentence leaves, and its memory is free again
  const Sentence late{9, 10, 11, 2};
  steps.enter({late});
  const std::vector<Doubles> scores = steps.step({22, 1});
  EXPECT_EQ(scores[0], alone(small, sources[1], {1, 21, 22}));
  EXPECT_EQ(scores[1], alone(small, late, {1}));
}

}  // namespace
}  // namespace dragoman::model::transformer
