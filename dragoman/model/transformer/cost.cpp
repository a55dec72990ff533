#include "dragoman/model/transformer/cost.h"

#include <algorithm>

namespace dragoman::model::transformer {

namespace {

// The number of pairs of a query and a key of self-attention over n tokens. Without a window these are all pairs. With
// a sliding window a token sees floor(r / 2) keys on each side in the encoder, fewer at the ends of the sentence, and r
// keys in the decoder. With blocks it sees its block; the last one may be shorter. Keys that only the causal mask hides
// are counted.
Checked pairs(const TransformerConfig& config, std::int64_t n, bool is_encoder) {
  const std::int64_t r = config.window;
  if (r == 0 || n == 0) return Checked(n) * n;
  if (config.window_kind == Mask::Window::kBlock) {
    const std::int64_t blocks = n / r, rest = n % r;
    return Checked(blocks) * r * r + Checked(rest) * rest;
  }
  if (!is_encoder) return Checked(n) * std::min(r, n);
  // Key i + d exists for n - |d| queries i; d runs from -side to side, so that both ends lack side (side + 1) / 2
  // pairs.
  const std::int64_t side = std::min(r / 2, n - 1);
  return Checked(n) + Checked(side) * (n - 1 + n - side);
}

}  // namespace

// Additive scores cost as many multiply-adds as products, one for each channel of a query and a key; their tanh is not
// counted.
LayerCosts layer_costs(const TransformerConfig& config, std::int64_t n, std::int64_t m) {
  const Checked d = config.d_model, V = config.V_target;
  const LayerSizes encoder = config.encoder_sizes(), decoder = config.decoder_sizes();
  // The widths of the keys and of the values of all heads together.
  const auto keys = [](const LayerSizes& sizes) { return Checked(sizes.h) * sizes.d_k; };
  const auto values = [](const LayerSizes& sizes) { return Checked(sizes.h) * sizes.d_v; };

  const auto self_attention = [&](std::int64_t rows, const LayerSizes& sizes, bool is_encoder) {
    const Checked K = keys(sizes), W = values(sizes);
    return Checked(rows) * d * (K + K + W) + Checked(rows) * W * d + pairs(config, rows, is_encoder) * (K + W);
  };
  const auto feed_forward = [&](Checked rows, const LayerSizes& sizes) { return rows * d * sizes.d_ff * 2; };
  const Checked K = keys(decoder), W = values(decoder);
  const Checked cross_attention = Checked(m) * d * K + Checked(m) * n * (K + W) + Checked(m) * W * d;

  return {.encoder = self_attention(n, encoder, true) + feed_forward(n, encoder),
          .decoder = self_attention(m, decoder, false) + cross_attention + feed_forward(m, decoder),
          .memory = Checked(n) * d * (K + W),
          .output = Checked(m) * d * V};
}

Checked multiply_adds(const TransformerConfig& config, std::int64_t n, std::int64_t m) {
  const LayerCosts costs = layer_costs(config, n, m);
  return Checked(config.N_enc) * costs.encoder + Checked(config.N_dec) * (costs.decoder + costs.memory) + costs.output;
}

}  // namespace dragoman::model::transformer
