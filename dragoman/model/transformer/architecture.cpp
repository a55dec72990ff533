#include "dragoman/model/transformer/architecture.h"

#include "dragoman/model/transformer/config.h"

namespace dragoman::model::transformer {
namespace {

TransformerConfig tiny_config() {
  TransformerConfig config;
  config.N_enc = config.N_dec = 2;
  config.d_model = 8;
  config.h = 2;
  config.d_k = 3;  // so that h d_k and h d_v differ from d_model
  config.d_v = 5;
  config.d_ff = 12;
  config.V_source = config.V_target = 11;
  config.max_positions = 6;
  config.P_drop = 0;
  return config;
}

std::vector<GradientModel> gradient_models() {
  std::vector<GradientModel> models;
  for (const Norm norm : {Norm::kPost, Norm::kPre}) {
    TransformerConfig config = tiny_config();
    config.norm = norm;
    const std::string start = std::string(to_string(norm)) + "-norm, ";
    for (const Tie tie : {Tie::kThreeWay, Tie::kDecoder, Tie::kNone}) {
      config.tie = tie;
      models.push_back({start + "tie " + std::string(to_string(tie)), config});
    }
    config.tie = Tie::kThreeWay;
    for (const Positions positions : {Positions::kSinusoidT2T, Positions::kLearned, Positions::kNone}) {
      config.positions = positions;
      models.push_back({start + "positions " + std::string(to_string(positions)), config});
    }
  }
  TransformerConfig config = tiny_config();
  config.attention_bias = config.output_bias = true;
  models.push_back({"attention bias, output bias", config});
  config.P_drop = config.P_drop_attention = config.P_drop_relu = 0.2f;
  models.push_back({"biases, every dropout", config});
  models.push_back({"biases, every dropout, two micro-batches", config, 2});
  for (const nn::HiddenActivation activation : {nn::HiddenActivation::kSilu, nn::HiddenActivation::kGelu}) {
    config = tiny_config();
    config.activation = activation;
    config.scale = EmbeddingScale::kNone;
    config.P_drop_relu = 0.2f;
    models.push_back({"activation " + std::string(to_string(activation)) + ", unscaled embeddings", config});
  }
  config = tiny_config();
  config.h_dec = 3;
  config.d_ff_dec = 10;
  config.positions = Positions::kLearned;
  config.first_position = 1;
  ++config.max_positions;
  models.push_back({"decoder of other sizes, positions from 1", config});
  config = tiny_config();
  config.window = 3;
  config.decoder_start = DecoderStart::kZeroVector;
  models.push_back({"window of 3, start from zero", config});
  config.window_kind = Mask::Window::kBlock;
  models.push_back({"blocks of 3, start from zero", config});
  for (const nn::AttentionScore score : {nn::AttentionScore::kDot, nn::AttentionScore::kAdditive}) {
    config = tiny_config();
    config.attention_score = score;
    models.push_back({"attention score " + std::string(to_string(score)), config});
  }
  config.window = 3;
  config.P_drop = config.P_drop_attention = 0.2f;
  models.push_back({"attention score additive, window of 3, dropout", config});
  for (const Norm norm : {Norm::kPost, Norm::kPre}) {
    config = tiny_config();
    config.norm = norm;
    config.norm_kind = NormKind::kBatch;
    models.push_back({std::string(to_string(norm)) + "-norm by batch", config});
  }
  config.bn_padding = BatchNormPadding::kInclude;
  config.P_drop = 0.2f;
  models.push_back({"pre-norm by batch with padding, dropout", config});
  return models;
}

}  // namespace

Architecture make_architecture() {
  return {.name = std::string(TransformerConfig::kArch),
          .summary = "the Transformer: attention alone, in both stacks",
          .presets = make_presets(),
          .gradient_models = gradient_models()};
}

}  // namespace dragoman::model::transformer
