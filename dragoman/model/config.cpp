#include "dragoman/model/config.h"

#include <cmath>

#include "dragoman/model/checked.h"

namespace dragoman::model {
namespace {

// Beyond these no machine could hold the model, and sizes of tensors would not fit their types.
constexpr int kMostLayers = 1000;
constexpr int kLargestWidth = 1 << 24;
constexpr int kLargestVocabulary = 1 << 28;
constexpr int kSmallestVocabulary = 5;  // the four special tokens and one word
constexpr std::int64_t kMostParameters = std::int64_t{1} << 40;

void require_between(std::string_view key, int value, int least, int most) {
  require<UsageError>(value >= least && value <= most, key, " is ", value, "; it must be from ", least, " to ", most,
                      ".");
}

void require_probability(std::string_view key, double value) {
  require<UsageError>(value >= 0 && value < 1, key, " is ", value, "; it must be at least 0 and below 1.");
}

void require_positive(std::string_view key, double value) {
  require<UsageError>(value > 0, key, " is ", value, "; it must be above 0.");
}

void require_not_negative(std::string_view key, double value) {
  require<UsageError>(value >= 0, key, " is ", value, "; it must be 0 or more.");
}

void check_sizes(const TransformerConfig& config) {
  require_between("encoder-layers", config.N_enc, 1, kMostLayers);
  require_between("decoder-layers", config.N_dec, 1, kMostLayers);
  require_between("d-model", config.d_model, 1, kLargestWidth);
  require_between("d-ff", config.d_ff, 1, kLargestWidth);
  require_between("heads", config.h, 1, kLargestWidth);
  require_between("d-k", config.d_k, 0, kLargestWidth);
  require_between("d-v", config.d_v, 0, kLargestWidth);
  require_between("source-vocabulary", config.V_source, kSmallestVocabulary, kLargestVocabulary);
  require_between("target-vocabulary", config.V_target, kSmallestVocabulary, kLargestVocabulary);
  require_between("max-positions", config.max_positions, 1, kLargestWidth);
  require<UsageError>(config.window >= 0, "window is ", config.window, "; it must be above 0, or left out.");
}

void check_heads(const TransformerConfig& config) {
  const bool widths_given = config.d_k > 0 && config.d_v > 0;
  require<UsageError>(widths_given || config.d_model % config.h == 0, "heads is ", config.h,
                      ", which does not divide d-model ", config.d_model,
                      " evenly; choose another number of heads, or give both d-k and d-v.");
  for (const int width : {config.key_width(), config.value_width()}) {
    require<UsageError>((Checked(config.h) * width).at_most(kLargestWidth), config.h, " heads of width ", width,
                        " are too wide together; at most ", kLargestWidth, " columns can be had.");
  }
}

void check_embeddings(const TransformerConfig& config) {
  require<UsageError>(config.tie != Tie::kThreeWay || config.V_source == config.V_target,
                      "tie is three-way, which needs one vocabulary for both sides, but source-vocabulary is ",
                      config.V_source, " and target-vocabulary is ", config.V_target,
                      "; make them equal, or set tie to decoder or none.");
  const bool sinusoid = config.positions == Positions::kSinusoid || config.positions == Positions::kSinusoidT2T;
  require<UsageError>(!sinusoid || config.d_model % 2 == 0, "d-model is ", config.d_model,
                      ", but sinusoid positions come in pairs of sine and cosine; make it even, or set positions to "
                      "learned or none.");
}

// No fewer parameters than the model has: its options for the final LayerNorms, the output bias and the target-space
// table are counted whether taken or not.
Checked most_parameters(const TransformerConfig& config) {
  const Checked d = config.d_model, d_ff = config.d_ff;
  const Checked keys = Checked(config.h) * config.key_width(), values = Checked(config.h) * config.value_width();
  const Checked bias = config.attention_bias ? 1 : 0;
  const Checked columns = keys + keys + values;
  const Checked attention = d * columns + values * d + bias * (columns + d);
  const Checked feed_forward = d * d_ff + d_ff + d_ff * d + d;
  const Checked layer_norm = d + d;
  const Checked stacks = Checked(config.N_enc) * (attention + feed_forward + layer_norm * 2) +
                         Checked(config.N_dec) * (attention * 2 + feed_forward + layer_norm * 3);
  const Checked both_sides = Checked(config.V_source) + config.V_target;
  const Checked rows = config.tie == Tie::kThreeWay  ? Checked(config.V_target)
                       : config.tie == Tie::kDecoder ? both_sides
                                                     : both_sides + config.V_target;
  const Checked positions = config.positions == Positions::kLearned ? Checked(config.max_positions) * 2 : 0;
  return stacks + (rows + positions + 32) * d + layer_norm * 2 + config.V_target;
}

}  // namespace

void TransformerConfig::validate() const {
  check_sizes(*this);
  check_heads(*this);
  check_embeddings(*this);
  require_positive("layer-norm-epsilon", ln_eps);
  require_probability("dropout", P_drop);
  require_probability("attention-dropout", P_drop_attention);
  require_probability("relu-dropout", P_drop_relu);
  require<UsageError>(most_parameters(*this).at_most(kMostParameters),
                      "these sizes make a model of more than 2^40 parameters; choose smaller ones.");
}

optim::Schedule TrainingConfig::rates(const TransformerConfig& model) const {
  return {.shape = schedule,
          .constant = rate_constant,
          .d_model = model.d_model,
          .peak = peak_rate,
          .initial = initial_rate,
          .warmup_steps = warmup,
          .steps = steps,
          .cooldown_steps = std::llround(cooldown * steps)};
}

void TrainingConfig::validate() const {
  require_probability("label-smoothing", eps_ls);
  require_probability("beta1", beta1);
  require_probability("beta2", beta2);
  require_positive("adam-epsilon", eps);
  require_positive("rate-constant", rate_constant);
  require_positive("peak-rate", peak_rate);
  require_not_negative("initial-rate", initial_rate);
  require_positive("warmup", warmup);
  require<UsageError>(cooldown >= 0 && cooldown <= 1, "cooldown is ", cooldown, "; it must be from 0 to 1.");
  require_positive("steps", steps);
  require_not_negative("weight-decay", weight_decay);
  require_not_negative("clip", clip);
  require_positive("batch-tokens", batch_tokens);
  require_positive("accumulate", accumulate);
  require_not_negative("average", average);
  require_probability("ema", ema);
}

}  // namespace dragoman::model
