#include "dragoman/model/recurrent/architecture.h"

#include "dragoman/model/recurrent/config.h"

namespace dragoman::model::recurrent {
namespace {

RecurrentConfig tiny_config() {
  RecurrentConfig config;
  config.E = 5;
  config.H_enc = 3;
  config.H_dec = 6;
  config.attention_width = 4;
  config.V_source = config.V_target = 11;
  return config;
}

// Every cell, score, context, bridge and readout, alone and in combinations that matter.
std::vector<GradientModel> gradient_models() {
  std::vector<GradientModel> models;
  const auto add = [&](const std::string& name, const auto& change, int pairs_per_batch = 4) {
    RecurrentConfig config = tiny_config();
    change(config);
    models.push_back({name, config, pairs_per_batch});
  };
  for (const CellName cell : {CellName::kVanilla, CellName::kGru, CellName::kLstm}) {
    add("cell " + std::string(to_string(cell)) + ", layers 2", [&](RecurrentConfig& config) {
      config.cell = cell;
      config.N_enc = config.N_dec = 2;
    });
  }
  add("cell gru, reset before", [](RecurrentConfig& config) { config.reset = ResetName::kBefore; });
  for (int score = 0; score < 8; ++score) {
    add("attention " + std::string(to_string(static_cast<ScoreName>(score))), [&](RecurrentConfig& config) {
      config.score = static_cast<ScoreName>(score);
      config.value_width = 7;
    });
  }
  for (const BridgeName bridge : {BridgeName::kCopy, BridgeName::kMean, BridgeName::kZero}) {
    for (const CellName cell : {CellName::kGru, CellName::kLstm}) {
      add(join("bridge ", to_string(bridge), ", ", to_string(cell)), [&](RecurrentConfig& config) {
        config.bridge = bridge;
        config.cell = cell;
        config.score = ScoreName::kDot;  // without weights whose gradients would be tiny here
        config.N_enc = config.N_dec = 2;
      });
    }
  }
  add("context fixed, readout state", [](RecurrentConfig& config) {
    config.context = ContextName::kFixed;
    config.readout = ReadoutName::kState;
  });
  add("context fixed, readout tanh, lstm", [](RecurrentConfig& config) {
    config.context = ContextName::kFixed;
    config.cell = CellName::kLstm;
    config.N_dec = 2;
  });
  add("context conditional, readout deep", [](RecurrentConfig& config) {
    config.context = ContextName::kConditional;
    config.readout = ReadoutName::kDeep;
    config.N_dec = 2;
  });
  add("context conditional, reset before", [](RecurrentConfig& config) {
    config.context = ContextName::kConditional;
    config.reset = ResetName::kBefore;
  });
  for (const ScoreName score : {ScoreName::kGeneral, ScoreName::kAdditive, ScoreName::kAlignScaled}) {
    for (const bool feeding : {false, true}) {
      add(join("context current, ", to_string(score), feeding ? ", input feeding" : ""), [&](RecurrentConfig& config) {
        config.context = ContextName::kCurrent;
        config.score = score;
        config.input_feeding = feeding;
        config.cell = CellName::kLstm;
        config.N_dec = 2;
      });
    }
  }
  for (const CellName cell : {CellName::kGru, CellName::kLstm}) {
    add(join("encoder-self-attention, ", to_string(cell)), [&](RecurrentConfig& config) {
      config.encoder_self_attention = true;
      config.cell = cell;
    });
  }
  const auto with_dropout = [](RecurrentConfig& config) {
    config.N_enc = config.N_dec = 2;
    config.P_embedding = config.P_layers = config.P_context = config.P_output = 0.2f;
    config.initial_state = StartName::kNoise;
  };
  add("every dropout, noisy start", with_dropout);
  add("every dropout, noisy start, two micro-batches", with_dropout, 2);
  add("one direction, orthogonal, untied", [](RecurrentConfig& config) {
    config.bidirectional = false;
    config.init = InitName::kOrthogonal;
    config.tie = Tie::kNone;
    config.decoder_start = DecoderStart::kZeroVector;
  });
  return models;
}

}  // namespace

Architecture make_architecture() {
  return {.name = std::string(RecurrentConfig::kArch),
          .summary = "recurrent networks, with and without attention",
          .presets = make_presets(),
          .gradient_models = gradient_models()};
}

}  // namespace dragoman::model::recurrent
