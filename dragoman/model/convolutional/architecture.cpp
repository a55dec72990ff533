#include "dragoman/model/convolutional/architecture.h"

#include "dragoman/model/convolutional/config.h"

namespace dragoman::model::convolutional {
namespace {

// `slow_encoder` is off: it changes the encoder's gradients on purpose, so that they would differ from finite
// differences.
ConvolutionalConfig tiny_config() {
  ConvolutionalConfig config;
  config.E = 5;
  config.N_enc = config.N_dec = 2;
  config.encoder_channels = config.decoder_channels = {"4"};
  config.V_source = config.V_target = 11;
  config.max_positions = 12;
  config.P_drop = 0;
  config.slow_encoder = false;
  return config;
}

std::vector<GradientModel> gradient_models() {
  std::vector<GradientModel> models;
  const auto add = [&](const std::string& name, const auto& change, int pairs_per_batch = 4) {
    ConvolutionalConfig config = tiny_config();
    change(config);
    models.push_back({name, config, pairs_per_batch});
  };
  add("kernel 3", [](auto&) {});
  add("channels that change, kernels 3 and 1", [](ConvolutionalConfig& config) {
    config.encoder_channels = {"4", "6"};
    config.decoder_channels = {"6", "3"};
    config.encoder_kernels = config.decoder_kernels = {"3", "1"};
    config.E_output = 7;
  });
  add("dilations 1 and 2, kernel 2 in the decoder", [](ConvolutionalConfig& config) {
    config.encoder_dilations = config.decoder_dilations = {"1", "2"};
    config.decoder_kernels = {"2"};
  });
  add("without positions", [](ConvolutionalConfig& config) { config.positions = PositionsName::kNone; });
  for (const Tie tie : {Tie::kThreeWay, Tie::kDecoder}) {
    add(join("tie ", to_string(tie)), [&](ConvolutionalConfig& config) { config.tie = tie; });
  }
  const auto with_dropout = [](ConvolutionalConfig& config) { config.P_drop = 0.2f; };
  add("dropout", with_dropout);
  add("dropout, two micro-batches", with_dropout, 2);
  return models;
}

}  // namespace

Architecture make_architecture() {
  return {.name = std::string(ConvolutionalConfig::kArch),
          .summary = "convolutional networks with attention in every layer of the decoder",
          .presets = make_presets(),
          .gradient_models = gradient_models()};
}

}  // namespace dragoman::model::convolutional
