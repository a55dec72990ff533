#include "dragoman/model/transformer/config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "dragoman/model/model_config.h"

namespace dragoman::model::transformer {
namespace {

// The message of validate() after these settings, given by key, are applied; empty if they are valid.
template <class Config>
std::string error_message(std::initializer_list<std::pair<const char*, const char*>> settings) {
  try {
    ModelConfig config = Config();
    for (const auto& [key, value] : settings) set(config, key, value);
    config.validate();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

constexpr auto model_error = error_message<TransformerConfig>;

TEST(TransformerConfig, DefaultsAreThePapersBaseModel) {
  const TransformerConfig base;
  EXPECT_EQ(base.N_enc, 6);
  EXPECT_EQ(base.d_model, 512);
  EXPECT_EQ(base.d_ff, 2048);
  EXPECT_EQ(base.h, 8);
  for (const LayerSizes& sizes : {base.encoder_sizes(), base.decoder_sizes()}) {
    EXPECT_EQ(sizes.h, 8);
    EXPECT_EQ(sizes.d_k, 64);
    EXPECT_EQ(sizes.d_v, 64);
    EXPECT_EQ(sizes.d_ff, 2048);
  }
  EXPECT_EQ(base.embedding_factor(), std::sqrt(512.0));
  EXPECT_EQ(base.norm, Norm::kPost);
  EXPECT_EQ(model_error({}), "");
}

TEST(TransformerConfig, EveryFieldSurvivesBeingWrittenAndRead) {
  TransformerConfig written{.N_enc = 2,
                            .d_k = 16,
                            .d_ff_dec = 100,
                            .h_dec = 2,
                            .tie = Tie::kDecoder,
                            .positions = Positions::kSinusoidHalf,
                            .first_position = 2,
                            .scale = EmbeddingScale::kNone,
                            .activation = nn::HiddenActivation::kGeluTanh,
                            .norm = Norm::kPre,
                            .norm_kind = NormKind::kBatch,
                            .bn_padding = BatchNormPadding::kInclude,
                            .attention_bias = true,
                            .window = 5,
                            .window_kind = Mask::Window::kBlock,
                            .attention_score = nn::AttentionScore::kAdditive,
                            .P_drop = 0.3f,
                            .init = Init::kFairseq,
                            .decoder_start = DecoderStart::kZeroVector};
  TransformerConfig read;
  written.fields([&](std::string_view key, auto& value, std::string_view) { set(read, key, write_value(value)); });
  std::string before, after;
  written.fields([&](std::string_view, auto& value, std::string_view) { before += write_value(value) + " "; });
  read.fields([&](std::string_view, auto& value, std::string_view) { after += write_value(value) + " "; });
  EXPECT_EQ(before, after);
}

TEST(TransformerConfig, HeadsMustDivideTheWidthUnlessTheirWidthsAreGiven) {
  EXPECT_EQ(model_error({{"heads", "7"}}),
            "heads is 7, which does not divide d-model 512 evenly; choose another number of heads, or give both d-k "
            "and d-v.");
  EXPECT_NE(model_error({{"heads", "7"}, {"d-k", "10"}}), "");
  EXPECT_EQ(model_error({{"heads", "7"}, {"d-k", "10"}, {"d-v", "12"}}), "");
  EXPECT_NE(model_error({{"heads", "1024"}}), "");
}

TEST(TransformerConfig, TheDecoderMayHaveOtherSizesThanTheEncoder) {
  TransformerConfig config{.d_model = 12, .d_ff = 20, .h = 2, .d_ff_dec = 30, .h_dec = 3};
  EXPECT_EQ(config.encoder_sizes().d_k, 6);
  EXPECT_EQ(config.encoder_sizes().d_ff, 20);
  EXPECT_EQ(config.decoder_sizes().h, 3);
  EXPECT_EQ(config.decoder_sizes().d_v, 4);
  EXPECT_EQ(config.decoder_sizes().d_ff, 30);
  EXPECT_EQ(model_error({{"decoder-heads", "7"}}),
            "decoder-heads is 7, which does not divide d-model 512 evenly; choose another number of heads, or give "
            "both d-k and d-v.");
  EXPECT_EQ(describe({.N_enc = 1, .N_dec = 2, .d_model = 12, .h = 2, .h_dec = 3}),
            "1 + 2 layers of width 12, 2 + 3 heads");
}

TEST(TransformerConfig, LearnedTablesHaveARowForTheFirstPosition) {
  EXPECT_EQ(model_error({{"positions", "learned"}, {"max-positions", "2"}, {"first-position", "2"}}),
            "first-position is 2, but the learned table has only 2 rows; set max-positions to more.");
  EXPECT_EQ(model_error({{"positions", "learned"}, {"max-positions", "3"}, {"first-position", "2"}}), "");
  EXPECT_EQ(model_error({{"max-positions", "2"}, {"first-position", "2"}}), "");
  EXPECT_NE(model_error({{"first-position", "-1"}}), "");
  EXPECT_EQ(model_error({{"positions", "none"}, {"first-position", "2"}}),
            "first-position is 2, but positions is none; leave one of them out.");
}

TEST(TransformerConfig, SinusoidsNeedAnEvenWidth) {
  for (const char* layout : {"sinusoid", "sinusoid-t2t", "sinusoid-half"}) {
    EXPECT_NE(model_error({{"d-model", "15"}, {"heads", "3"}, {"positions", layout}}), "") << layout;
  }
  EXPECT_EQ(model_error({{"d-model", "15"}, {"heads", "3"}, {"positions", "learned"}}), "");
}

TEST(TransformerConfig, SizesMustBeAboveZero) {
  for (const char* key : {"layers", "encoder-layers", "decoder-layers", "d-model", "d-ff", "heads", "d-k", "d-v",
                          "decoder-d-ff", "decoder-heads", "vocabulary", "max-positions", "window"}) {
    EXPECT_NE(model_error({{key, "0"}}), "") << key;
    EXPECT_NE(model_error({{key, "-8"}}), "") << key;
  }
}

TEST(TransformerConfig, BlocksNeedASize) {
  EXPECT_EQ(model_error({{"window-kind", "block"}}),
            "window-kind is block, but window is not set; set window to the number of positions of a block, or leave "
            "window-kind out.");
  EXPECT_EQ(model_error({{"window-kind", "block"}, {"window", "256"}}), "");
  EXPECT_EQ(model_error({{"window-kind", "sliding"}}), "");
}

TEST(TransformerConfig, PaddingIsASettingOfBatchNorm) {
  EXPECT_EQ(
      model_error({{"batch-norm-padding", "include"}}),
      "batch-norm-padding is include, but norm-kind is layer; set norm-kind to batch, or leave batch-norm-padding "
      "out.");
  EXPECT_EQ(model_error({{"batch-norm-padding", "include"}, {"norm-kind", "batch"}}), "");
  EXPECT_NE(model_error({{"norm-kind", "batch"}, {"batch-norm-epsilon", "0"}}), "");
  EXPECT_NE(model_error({{"norm-kind", "group"}}), "");
  EXPECT_NE(model_error({{"attention-score", "general"}}), "");
}

TEST(TransformerConfig, AdditiveScoresAddAVectorForEachHeadOfEachAttention) {
  const auto parameters = [](nn::AttentionScore score, NormKind norm_kind) {
    TransformerConfig config{.N_enc = 2, .N_dec = 3, .d_model = 8, .d_ff = 4, .h = 2, .d_k = 3, .d_v = 4};
    config.V_source = config.V_target = 11;
    config.attention_score = score;
    config.norm_kind = norm_kind;
    return parameter_count(ModelConfig(config));
  };
  using enum nn::AttentionScore;
  const std::int64_t base = parameters(kScaled, NormKind::kLayer);
  EXPECT_EQ(parameters(kDot, NormKind::kLayer), base);
  EXPECT_EQ(parameters(kAdditive, NormKind::kLayer), base + (2 + 3 + 3) * 2 * 3);
  // The running values of BatchNorm are not parameters.
  EXPECT_EQ(parameters(kScaled, NormKind::kBatch), base);
}

TEST(TransformerConfig, AVocabularyHoldsMoreThanTheSpecialTokens) {
  EXPECT_NE(model_error({{"vocabulary", "4"}}), "");
  EXPECT_EQ(model_error({{"vocabulary", "5"}}), "");
}

TEST(TransformerConfig, ThreeWayTyingNeedsOneVocabulary) {
  EXPECT_NE(model_error({{"source-vocabulary", "8848"}, {"target-vocabulary", "6632"}}), "");
  EXPECT_EQ(model_error({{"source-vocabulary", "8848"}, {"target-vocabulary", "6632"}, {"tie", "decoder"}}), "");
}

TEST(TransformerConfig, ProbabilitiesAreBelowOne) {
  for (const char* key : {"dropout", "attention-dropout", "relu-dropout"}) {
    EXPECT_NE(model_error({{key, "1"}}), "") << key;
    EXPECT_NE(model_error({{key, "-0.1"}}), "") << key;
    EXPECT_EQ(model_error({{key, "0"}}), "") << key;
  }
  TransformerConfig config;
  config.P_drop = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(config.validate(), UsageError);
}

TEST(TransformerConfig, SizesWhoseProductsOverflowAreRefused) {
  const char* huge = "2147483646";
  for (const char* key : {"layers", "d-model", "d-ff", "vocabulary", "d-k", "d-v", "max-positions"}) {
    EXPECT_NE(model_error({{key, huge}}), "") << key;
  }
  EXPECT_NE(model_error({{"heads", "16777216"}, {"d-k", "16777216"}, {"d-v", "1"}}), "");
  EXPECT_EQ(model_error({{"d-model", "1048576"}, {"d-ff", "1048576"}}),
            "these sizes make a model of more than 2^40 parameters; choose smaller ones.");
}

}  // namespace
}  // namespace dragoman::model::transformer
