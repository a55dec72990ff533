#include "dragoman/model/recurrent/sizes.h"

namespace dragoman::model::recurrent {

CellKind cell_kind(const RecurrentConfig& config) {
  switch (config.cell) {
    case CellName::kVanilla: return CellKind::kVanilla;
    case CellName::kGru: return CellKind::kGru;
    case CellName::kLstm: return CellKind::kLstm;
  }
  return CellKind::kGru;
}

nn::RecurrentInit initialisation(const RecurrentConfig& config) {
  switch (config.init) {
    case InitName::kGlorot: return nn::RecurrentInit::kGlorot;
    case InitName::kOrthogonal: return nn::RecurrentInit::kOrthogonal;
    case InitName::kUniform: return nn::RecurrentInit::kUniform;
  }
  return nn::RecurrentInit::kGlorot;
}

nn::CellSizes cell_sizes(const RecurrentConfig& config, std::int64_t in, std::int64_t context, std::int64_t H) {
  return {.kind = cell_kind(config),
          .reset = config.reset == ResetName::kAfter ? nn::Reset::kAfter : nn::Reset::kBefore,
          .in = in,
          .context = context,
          .H = H,
          .init = initialisation(config)};
}

nn::MemoryAttentionSizes attention_sizes(const RecurrentConfig& config) {
  // The names of the scores are in the order of nn::KeyScore.
  return {.score = static_cast<nn::KeyScore>(config.score),
          .H = config.H_dec,
          .d_h = config.d_h(),
          .d_k = config.key_width(),
          .d_v = config.context_width(),
          .init = initialisation(config)};
}

nn::HardAttention hard_attention(const RecurrentConfig& config) {
  using enum KeyChoice::Kind;
  return {.training = config.mode == ModeName::kSoft   ? kLargest
                      : config.mode == ModeName::kHard ? kDrawn
                                                       : kGumbel,
          .soft_share = config.soft_share,
          .entropy = config.hard_entropy,
          .gumbel_steps = static_cast<double>(config.gumbel_steps)};
}

params::Parameter weights(const RecurrentConfig& config, std::int64_t in, std::int64_t out, std::int64_t fan_in) {
  return params::Parameter({in, out}, nn::initial_weights(initialisation(config), fan_in, out));
}

params::Parameter bias(const RecurrentConfig& config, std::int64_t width) {
  return params::Parameter({width}, nn::initial_bias(initialisation(config)));
}

}  // namespace dragoman::model::recurrent
