#include "dragoman/model/transformer/config.h"

#include <algorithm>

#include "dragoman/model/checked.h"

namespace dragoman::model::transformer {

// Counts the matrix products of both stacks and of the output projection for n source and m target tokens. Attention
// counts all keys, masked or not; with a window, only those in the window. Additive scores cost as many as products,
// one for each channel of a query and a key; their tanh is not counted.
Checked multiply_adds(const TransformerConfig& config, std::int64_t n, std::int64_t m) {
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
  const Checked cross_attention = Checked(m) * d * K + Checked(n) * d * (K + W) + attend(m, n) + Checked(m) * W * d;

  const Checked encoder_layer = self_attention(n, centred) + feed_forward(n);
  const Checked decoder_layer = self_attention(m, r) + cross_attention + feed_forward(m);
  return Checked(config.N_enc) * encoder_layer + Checked(config.N_dec) * decoder_layer + Checked(m) * d * V;
}

}  // namespace dragoman::model::transformer
