#include "dragoman/model/universal/config.h"

#include <cmath>

#include "dragoman/base/strings.h"
#include "dragoman/model/limits.h"
#include "dragoman/model/transformer/cost.h"

namespace dragoman::model::universal {
namespace {

constexpr float kMostBias = 10;  // of the halting probability

// The settings of adaptive computation time have no effect without it.
void check_halting(const UniversalConfig& config) {
  require<UsageError>(config.threshold > 0 && config.threshold < 1, "halting-threshold is ", config.threshold,
                      "; it must be above 0 and below 1.");
  require_not_negative("ponder-cost", config.ponder_cost);
  require<UsageError>(std::abs(config.halting_bias) <= kMostBias, "halting-bias is ", config.halting_bias,
                      "; it must be from -", kMostBias, " to ", kMostBias, ", because beyond no gradient is left.");
  if (config.adaptive()) return;
  const UniversalConfig normal;
  const auto require_normal = [](std::string_view key, bool is_normal, const auto& value) {
    require<UsageError>(is_normal, key, " is ", value,
                        ", but halting is none, so every token takes all steps; set halting to act, or leave ", key,
                        " out.");
  };
  require_normal("halted", config.halted == normal.halted, to_string(config.halted));
  require_normal("act-output", config.act_output == normal.act_output, to_string(config.act_output));
  require_normal("ponder-cost", config.ponder_cost == normal.ponder_cost, config.ponder_cost);
  require_normal("halting-threshold", config.threshold == normal.threshold, config.threshold);
  require_normal("halting-bias", config.halting_bias == normal.halting_bias, config.halting_bias);
}

}  // namespace

void UniversalConfig::validate() const {
  TransformerConfig::validate();
  require_between("depth-steps", T, 1, kMaxLayers);
  require_between("position-offset", position_offset, 0, kMaxWidth);
  require<UsageError>(d_model % 2 == 0, "d-model is ", d_model,
                      ", but positions are pairs of sine and cosine; make it even.");
  check_halting(*this);
}

// The memory's keys and values are computed once for all steps.
Checked multiply_adds(const UniversalConfig& config, std::int64_t n, std::int64_t m) {
  const transformer::LayerCosts costs = transformer::layer_costs(config, n, m);
  const Checked halting = config.adaptive() ? (Checked(n) + m) * config.d_model : Checked(0);
  return Checked(config.T) * (costs.encoder + costs.decoder + halting) + costs.memory + costs.output;
}

std::string describe(const UniversalConfig& config) {
  return join(config.adaptive() ? "up to " : "", counted(config.T, "step"), " of one layer of width ", config.d_model,
              ", ", counted(config.h, "head"));
}

}  // namespace dragoman::model::universal
