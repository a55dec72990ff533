#include "dragoman/model/universal/architecture.h"

#include "dragoman/model/universal/config.h"

namespace dragoman::model::universal {
namespace {

UniversalConfig tiny_config() {
  UniversalConfig config;
  config.T = 3;
  config.d_model = 8;
  config.h = 2;
  config.d_k = 3;  // so that h d_k and h d_v differ from d_model
  config.d_v = 5;
  config.d_ff = 12;
  config.V_source = config.V_target = 11;
  config.P_drop = 0;
  return config;
}

// Every signal, norm, and way to halt.
std::vector<GradientModel> gradient_models() {
  std::vector<GradientModel> models;
  const auto add = [&](const std::string& name, const auto& change, int pairs_per_batch = 4) {
    UniversalConfig config = tiny_config();
    change(config);
    models.push_back({name, config, pairs_per_batch});
  };
  for (const transformer::Norm norm : {transformer::Norm::kPost, transformer::Norm::kPre}) {
    for (const SignalName signal : {SignalName::kSinusoid, SignalName::kLearned}) {
      add(join(to_string(norm), "-norm, ", to_string(signal)), [&](UniversalConfig& config) {
        config.norm = norm;
        config.signal = signal;
      });
    }
    for (const HaltedName halted : {HaltedName::kTransform, HaltedName::kCopy}) {
      for (const OutputName output : {OutputName::kAccumulate, OutputName::kInterpolate}) {
        add(join(to_string(norm), "-norm, act, ", to_string(halted), ", ", to_string(output)),
            [&](UniversalConfig& config) {
              config.norm = norm;
              config.halting = HaltingName::kAct;
              config.halted = halted;
              config.act_output = output;
              config.ponder_cost = 0.5f;  // so that its gradient matters
            });
      }
    }
  }
  const auto with_everything = [](UniversalConfig& config) {
    config.norm = transformer::Norm::kPre;
    config.signal = SignalName::kLearned;
    config.halting = HaltingName::kAct;
    config.attention_bias = config.output_bias = true;
    config.P_drop = config.P_drop_attention = config.P_drop_relu = 0.2f;
    config.position_offset = 5;
  };
  add("act, learned, biases, every dropout, random positions", with_everything);
  add("the same in two micro-batches", with_everything, 2);
  return models;
}

}  // namespace

Architecture make_architecture() {
  return {.name = std::string(UniversalConfig::kArch),
          .summary = "the Universal Transformer: one layer, run several times",
          .presets = make_presets(),
          .gradient_models = gradient_models()};
}

}  // namespace dragoman::model::universal
