#include "dragoman/model/convolutional/decoder.h"

#include <string>

#include "dragoman/ops/arithmetic.h"

namespace dragoman::model::convolutional {
namespace {

// Indices of the arrays in the state's memory.
constexpr std::size_t kKeys = 0, kValues = 1;

bool looks_back(const Decoder::Layer& layer) { return layer.block.convolution.taps.k > 1; }

}  // namespace

Decoder::Decoder(const ConvolutionalConfig& config) : P_drop(config.P_drop) {
  const std::vector<LayerSize> sizes = config.decoder();
  const std::int64_t E = config.E;
  std::int64_t in = sizes.front().channels;
  from_embedding = nn::NormedLinear(E, in, 1 - P_drop);
  for (const LayerSize& size : sizes) {
    const nn::MemoryAttentionSizes attention{
        .score = nn::KeyScore::kDot, .H = E, .d_h = E, .d_k = E, .d_v = E, .init = nn::RecurrentInit::kGlorot};
    layers.push_back({.block = ResidualConvolution(in, size, Taps::causal(size.kernel, size.dilation), P_drop),
                      .W_in = nn::NormedLinear(size.channels, E, 1),
                      .W_out = nn::NormedLinear(E, size.channels, 1),
                      .attention = nn::MemoryAttention(attention, 0, static_cast<int>(layers.size()))});
    in = size.channels;
  }
  to_output = nn::NormedLinear(in, config.output_width(), 1);
}

Tensor Decoder::operator()(const Tensor& embedded, const Segments& segments, const Encoded& encoded,
                           nn::Pass& pass) const {
  const nn::Memory memory{encoded.states, encoded.values, encoded.segments};
  Tensor x = from_embedding(embedded);
  for (const Layer& layer : layers) {
    x = layer.run(
        x, embedded, [&](const Tensor& in) { return layer.block.convolve(in, segments, pass); },
        [&](const Tensor& q) { return layer.attention(q, memory, segments, pass); });
  }
  return ops::dropout(to_output(x), segments, pass.dropout(P_drop));
}

StateLayout Decoder::state_layout(DType dtype) const {
  const std::int64_t E = layers.front().attention.sizes.d_k;
  StateLayout layout;
  layout.memory = {{"keys", E, dtype}, {"values", E, dtype}};
  std::int64_t in = from_embedding.out();
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (looks_back(layers[l])) layout.cells.push_back({std::to_string(l) + ".x", in, dtype});
    in = layers[l].W_out.out();
  }
  return layout;
}

void Decoder::store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const {
  Backend& on = encoded.states.backend();
  on.place_rows(encoded.states.array(), rows, state.memory(kKeys));
  on.place_rows(encoded.values.array(), rows, state.memory(kValues));
}

Tensor Decoder::step(const Tensor& embedded, const StepRows& rows, const StateArrays& state, nn::Pass& pass) const {
  Tensor x = from_embedding(embedded);
  std::size_t next_cells = 0;
  for (const Layer& layer : layers) {
    const Array stored = looks_back(layer) ? state.cells(next_cells++) : Array();
    x = layer.run(
        x, embedded,
        [&](const Tensor& in) { return layer.block.convolution.step(in, rows.cells, rows.lengths, stored); },
        [&](const Tensor& q) {
          return layer.attention.step_as_whole(q, state.memory(kKeys), state.memory(kValues), rows.memory, pass);
        });
  }
  return to_output(x);
}

void Decoder::parameters(params::ParameterVisitor& visit) {
  visit.inside("in", from_embedding);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::string name = std::to_string(l);
    visit.inside(name, layers[l].block);
    visit.inside(name + ".query", layers[l].W_in);
    visit.inside(name + ".context", layers[l].W_out);
  }
  visit.inside("out", to_output);
}

}  // namespace dragoman::model::convolutional
