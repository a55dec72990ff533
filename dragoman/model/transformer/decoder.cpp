#include "dragoman/model/transformer/decoder.h"

#include <string>

namespace dragoman::model::transformer {
namespace {

// Where one layer's keys and values are in the product with W_KV. The columns of the product are K of layer 0, V of
// layer 0, K of layer 1, and so on.
struct MemoryColumns {
  MemoryColumns(const Layer& layer, std::size_t number)
      : keys(layer.cross->multi_head.sizes.keys()),
        values(layer.cross->multi_head.sizes.values()),
        first_key(static_cast<std::int64_t>(number) * (keys + values)),
        first_value(first_key + keys) {}

  std::int64_t keys, values, first_key, first_value;
};

}  // namespace

Decoder::Decoder(const TransformerConfig& config) : stack(config, Stack::Kind::kDecoder) {
  const nn::AttentionSizes sizes = attention_sizes(config, Stack::Kind::kDecoder);
  std::vector<params::Parameter::Columns> weights, biases;
  for (int layer = 0; layer < config.N_dec; ++layer) {
    for (const nn::Projection projection : {nn::Projection::kKeys, nn::Projection::kValues}) {
      const std::string prefix = std::to_string(layer) + ".cross.";
      weights.push_back(projection_weights(sizes, projection, prefix));
      biases.push_back(projection_biases(sizes, projection, prefix));
    }
  }
  W_KV.W = params::Parameter(config.d_model, weights);
  if (config.attention_bias) W_KV.b = params::Parameter(0, biases);
}

ProjectedMemory Decoder::project(const Tensor& memory, const Segments& segments) const {
  ProjectedMemory projected{segments, {}, {}};
  const Tensor KV = W_KV(memory);
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    const MemoryColumns at(stack.layers[l], l);
    projected.K.push_back(columns(KV, at.first_key, at.keys));
    projected.V.push_back(columns(KV, at.first_value, at.values));
  }
  return projected;
}

StackOutput Decoder::operator()(const Tensor& embedded, const Segments& segments, const ProjectedMemory& memory,
                                nn::Pass& pass) const {
  const Reach past{segments, segments, stack.mask}, source{segments, memory.segments, {}};
  const auto self = [&](const Layer& layer, std::size_t, const Tensor& y) { return layer.self(y, past, pass); };
  const auto cross = [&](const Layer& layer, std::size_t l, const Tensor& y) {
    return (*layer.cross)(y, memory.K[l], memory.V[l], source, pass);
  };
  return stack.run(embedded, segments, pass, /*free_layers=*/true, self, cross);
}

StateLayout Decoder::state_layout(DType dtype, int runs) const {
  const nn::AttentionSizes& sizes = stack.layers.front().self.multi_head.sizes;
  StateLayout layout{.memory = {{"memory", std::ssize(stack.layers) * (sizes.keys() + sizes.values()), dtype}},
                     .cells = {}};
  for (std::size_t l = 0; l < runs * stack.layers.size(); ++l) {
    layout.cells.push_back({std::to_string(l) + ".K", sizes.keys(), dtype});
    layout.cells.push_back({std::to_string(l) + ".V", sizes.values(), dtype});
  }
  return layout;
}

void Decoder::store_memory(const Tensor& memory, const Array& rows, const StateArrays& state) const {
  Backend& on = memory.backend();
  const ArenaScope scratch(on.arena());
  on.place_rows(W_KV(memory).array(), rows, state.memory(0));
}

StackOutput Decoder::step(const Tensor& embedded, const StepRows& step, const StateArrays& state,
                          nn::Pass& pass) const {
  const std::int64_t rows = step.count();
  require<ShapeError>(embedded.rows() == rows && rows > 0, "step: ", embedded.rows(), " rows for a step of ", rows);
  // Each row is a sentence of one token.
  const Segments one_each{.B = rows, .R = rows, .longest = 1, .offsets = {}, .position = {}, .sentence = {}};
  const auto self = [&](const Layer& layer, std::size_t l, const Tensor& y) {
    const std::size_t kept = 2 * (static_cast<std::size_t>(pass.depth) + l);
    const CachedKeys past{state.cells(kept), state.cells(kept + 1), step.cells, step.lengths};
    return layer.self.step(y, past, stack.mask, pass);
  };
  const auto cross = [&](const Layer& layer, std::size_t l, const Tensor& y) {
    const MemoryColumns at(layer, l);
    const Array& memory = state.memory(0);
    return layer.cross->step(y, memory.columns(at.first_key, at.keys), memory.columns(at.first_value, at.values),
                             step.memory, pass);
  };
  return stack.run(embedded, one_each, pass, /*free_layers=*/false, self, cross);
}

void Decoder::parameters(params::ParameterVisitor& visit) {
  stack.layer_parameters(visit);
  visit("W_KV", W_KV.W);
  visit("b_KV", W_KV.b);
  stack.norm_parameters(visit);
}

}  // namespace dragoman::model::transformer
