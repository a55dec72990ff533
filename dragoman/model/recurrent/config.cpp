#include "dragoman/model/recurrent/config.h"

#include <limits>

#include "dragoman/base/strings.h"
#include "dragoman/model/limits.h"

namespace dragoman::model::recurrent {
namespace {

void check_sizes(const RecurrentConfig& config) {
  require_between("encoder-layers", config.N_enc, 1, kMaxLayers);
  require_between("decoder-layers", config.N_dec, 1, kMaxLayers);
  require_between("embedding", config.E, 1, kMaxWidth);
  require_between("encoder-hidden", config.H_enc, 1, kMaxWidth / 8);
  require_between("hidden", config.H_dec, 1, kMaxWidth / 8);
  require_between("attention-width", config.attention_width, 0, kMaxWidth);
  require_between("value-width", config.value_width, 0, kMaxWidth);
  require_vocabularies(config.V_source, config.V_target, config.tie);
}

std::string encoder_width(const RecurrentConfig& config) {
  return config.bidirectional ? join("two directions of encoder-hidden ", config.H_enc, " make ", config.d_h())
                              : join("encoder-hidden is ", config.H_enc);
}

void check_attention(const RecurrentConfig& config) {
  const bool needs_equal = config.score == ScoreName::kDot || config.score == ScoreName::kScaled;
  require<UsageError>(!config.attends() || !needs_equal || config.H_dec == config.d_h(), "attention-score ",
                      to_string(config.score), " multiplies the decoder's state with the encoder's, but hidden is ",
                      config.H_dec, " and ", encoder_width(config),
                      "; make them equal, or choose attention-score general, additive or align.");
  require<UsageError>(config.context != ContextName::kConditional || config.cell == CellName::kGru, "context is ",
                      "conditional, which is made of two GRUs, but cell is ", to_string(config.cell),
                      "; set cell to gru, or choose context previous or current.");
  require<UsageError>(!config.input_feeding || config.context == ContextName::kCurrent,
                      "input-feeding is for context current, but context is ", to_string(config.context),
                      "; set context to current, or leave input-feeding out.");
  require<UsageError>(config.context != ContextName::kCurrent || config.readout == ReadoutName::kTanh,
                      "context current has a readout of its own, tanh, but readout is ", to_string(config.readout),
                      "; set readout to tanh, or choose context previous.");
}

void check_hard_attention(const RecurrentConfig& config) {
  require<UsageError>(config.mode == ModeName::kSoft || config.attends(), "attention-mode is ", to_string(config.mode),
                      ", but context fixed has no attention; set context to previous, current or conditional.");
  require_not_negative("hard-credit", config.hard_credit);
  require_not_negative("hard-entropy", config.hard_entropy);
  require<UsageError>(config.soft_share >= 0 && config.soft_share <= 1, "soft-share is ", config.soft_share,
                      "; it must be from 0 to 1.");
  require_between("gumbel-steps", config.gumbel_steps, 1, std::numeric_limits<int>::max());
}

void check_bridge(const RecurrentConfig& config) {
  if (config.bridge != BridgeName::kCopy) return;
  require<UsageError>(config.d_h() == config.H_dec, "bridge is copy, which needs states of one width, but hidden is ",
                      config.H_dec, " and ", encoder_width(config), "; make them equal, or set bridge to tanh.");
  require<UsageError>(config.N_enc == config.N_dec, "bridge is copy, which needs as many layers on both sides, but ",
                      "encoder-layers is ", config.N_enc, " and decoder-layers is ", config.N_dec,
                      "; make them equal, or set bridge to tanh.");
}

}  // namespace

int RecurrentConfig::key_width() const {
  if (is_additive() || is_align()) return attention_width > 0 ? int{attention_width} : H_dec;
  return d_h();
}

void RecurrentConfig::validate() const {
  check_sizes(*this);
  check_attention(*this);
  check_hard_attention(*this);
  check_bridge(*this);
  require<UsageError>(reset == ResetName::kAfter || cell == CellName::kGru, "reset is a setting of GRUs, but cell is ",
                      to_string(cell), "; set cell to gru, or leave reset out.");
  require<UsageError>(!encoder_self_attention || initial_state == StartName::kZero,
                      "initial-state is noise, but with encoder-self-attention the first step starts from zeros; leave "
                      "one of them out.");
  require_probability("embedding-dropout", P_embedding);
  require_probability("layer-dropout", P_layers);
  require_probability("context-dropout", P_context);
  require_probability("output-dropout", P_output);
  require_not_negative("noise", noise);
}

std::string describe(const RecurrentConfig& config) {
  const std::string cell = config.cell == CellName::kVanilla ? "plain recurrent"
                           : config.cell == CellName::kGru   ? "GRU"
                                                             : "LSTM";
  const std::string mode = config.mode == ModeName::kSoft ? "" : join(to_string(config.mode), " ");
  const std::string source = config.attends() ? join(mode, "attention ", to_string(config.score)) : "a fixed context";
  return join(config.N_enc, " + ", config.N_dec, " ", cell, " layers of width ", config.H_dec, ", ", source);
}

}  // namespace dragoman::model::recurrent
