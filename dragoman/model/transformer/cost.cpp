#include "dragoman/model/transformer/cost.h"

#include <algorithm>

namespace dragoman::model::transformer {

LayerCosts layer_costs(const TransformerConfig& config, std::int64_t n, std::int64_t m) {
  const Checked d = config.d_model, V = config.V_target;
  // The widths of the keys and of the values of all heads together.
  const Checked K = Checked(config.h) * config.key_width(), W = Checked(config.h) * config.value_width();

  // The number of keys that a token sees: all of them or, with a window r, the last r tokens in the decoder, and r / 2
  // on each side in the encoder, which makes 2 floor(r / 2) + 1 keys.
  const auto reach = [&](std::int64_t positions, std::int64_t window) {
    return window > 0 ? std::min(window, positions) : positions;
  };
  const std::int64_t r = config.window, centred = r > 0 ? 2 * (r / 2) + 1 : 0;
  const auto attend = [&](Checked queries, Checked keys) { return queries * keys * (K + W); };
  const auto self_attention = [&](std::int64_t rows, std::int64_t window) {
    return Checked(rows) * d * (K + K + W) + Checked(rows) * W * d + attend(rows, reach(rows, window));
  };
  const auto feed_forward = [&](Checked rows) { return rows * d * config.d_ff * 2; };
  const Checked cross_attention = Checked(m) * d * K + attend(m, n) + Checked(m) * W * d;

  return {.encoder = self_attention(n, centred) + feed_forward(n),
          .decoder = self_attention(m, r) + cross_attention + feed_forward(m),
          .memory = Checked(n) * d * (K + W),
          .output = Checked(m) * d * V};
}

Checked multiply_adds(const TransformerConfig& config, std::int64_t n, std::int64_t m) {
  const LayerCosts costs = layer_costs(config, n, m);
  return Checked(config.N_enc) * costs.encoder + Checked(config.N_dec) * (costs.decoder + costs.memory) + costs.output;
}

}  // namespace dragoman::model::transformer
