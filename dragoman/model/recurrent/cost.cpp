#include "dragoman/model/recurrent/config.h"

#include <algorithm>

namespace dragoman::model::recurrent {

// Counts the products of the encoder, the bridge, the decoder with its attention, the readout and the output projection
// for n source and m target tokens. The bridge counts once for each layer and state, a fixed context once for a
// sentence.
Checked multiply_adds(const RecurrentConfig& config, std::int64_t n, std::int64_t m) {
  const Checked gates = config.cell == CellName::kVanilla ? 1 : config.cell == CellName::kGru ? 3 : 4;
  const Checked E = config.E, H = config.H_dec, H_enc = config.H_enc, d_h = config.d_h(), c = config.context_width();
  const auto cell = [&](Checked in, Checked width) { return gates * (in + width) * width; };

  Checked encoder = 0;
  for (int layer = 0; layer < config.N_enc; ++layer) {
    const Checked in = layer == 0 ? E : d_h, directions = config.bidirectional ? 2 : 1;
    encoder = encoder + Checked(n) * directions * cell(in, H_enc);
    if (!config.encoder_self_attention) continue;
    // A step multiplies its input, its state and, except the first, the mean before it; step t compares itself with t
    // states and mixes them.
    const Checked pairs = n % 2 == 0 ? Checked(n / 2) * (n - 1) : Checked(n) * ((n - 1) / 2);
    const Checked mixes = config.cell == CellName::kLstm ? 3 : 2;
    encoder =
        encoder + directions * (Checked(n) * (in + H_enc) * H_enc +
                                Checked(std::max<std::int64_t>(n - 1, 0)) * H_enc * H_enc + pairs * mixes * H_enc);
  }
  const int states = config.cell == CellName::kLstm ? 2 : 1;
  Checked bridge = 0;
  if (config.bridge == BridgeName::kTanh) bridge = Checked(config.N_dec) * states * d_h * H;
  // One map of the mean serves all layers.
  if (config.bridge == BridgeName::kMean) bridge = Checked(n) * d_h + Checked(states) * d_h * H;

  Checked attention = 0;
  if (config.attends()) {
    const Checked k = config.key_width();
    const bool projects_queries = config.score != ScoreName::kDot && config.score != ScoreName::kScaled;
    const bool projects_keys = config.is_additive() || config.is_align();
    if (projects_keys) attention = attention + Checked(n) * d_h * k;
    if (config.is_align()) attention = attention + Checked(n) * d_h * c;
    if (projects_queries) attention = attention + Checked(m) * H * k;
    attention = attention + Checked(m) * n * (k + c);
  }

  // What the first layer reads at every step: the word before and, before or after it, what the context gives.
  Checked first = E;
  if (config.context == ContextName::kPrevious) first = first + c;
  if (config.input_feeding) first = first + E;
  Checked decoder = cell(first, H);
  if (config.context == ContextName::kConditional) decoder = decoder + cell(c, H);
  decoder = Checked(m) * (decoder + Checked(config.N_dec - 1) * cell(H, H));
  if (config.context == ContextName::kFixed) decoder = decoder + gates * c * H;

  Checked readout = H * E;
  if (config.readout != ReadoutName::kState) readout = readout + c * E;
  if (config.readout == ReadoutName::kDeep) readout = readout + E * E;
  return encoder + bridge + attention + decoder + Checked(m) * readout + Checked(m) * E * config.V_target;
}

}  // namespace dragoman::model::recurrent
