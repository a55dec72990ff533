#include "dragoman/model/decoder.h"

#include <algorithm>
#include <string>

#include "dragoman/model/encoder.h"

namespace dragoman::model {

DecoderLayer::DecoderLayer(const TransformerConfig& config, int layer)
    : self(attention_sizes(config), nn::AttentionKind::kDecoderSelf, layer),
      cross(attention_sizes(config), layer),
      ffn(config.d_model, config.d_ff, config.P_drop_relu),
      ln1(config.d_model, config.ln_eps),
      ln2(config.d_model, config.ln_eps),
      ln3(config.d_model, config.ln_eps) {}

void DecoderLayer::parameters(nn::ParameterVisitor& visit) {
  visit.inside("self", self);
  visit.inside("ln1", ln1);
  visit.inside("cross", cross);
  visit.inside("ln2", ln2);
  visit.inside("ffn", ffn);
  visit.inside("ln3", ln3);
}

Decoder::Decoder(const TransformerConfig& config)
    : norm(config.norm), P_drop(config.P_drop), mask{.kind = Mask::Kind::kCausal, .r = config.window} {
  const nn::AttentionSizes sizes = attention_sizes(config);
  std::vector<nn::Parameter::Columns> weights, biases;
  for (int layer = 0; layer < config.N_dec; ++layer) {
    layers.emplace_back(config, layer);
    for (const nn::Projection projection : {nn::Projection::kKeys, nn::Projection::kValues}) {
      const std::string prefix = std::to_string(layer) + ".cross.";
      weights.push_back(projection_weights(sizes, projection, prefix));
      biases.push_back(projection_biases(sizes, projection, prefix));
    }
  }
  W_KV.W = nn::Parameter(config.d_model, weights);
  if (config.attention_bias) W_KV.b = nn::Parameter(0, biases);
  if (norm == Norm::kPre) ln = nn::LayerNorm(config.d_model, config.ln_eps);
}

ProjectedMemory Decoder::project(const Tensor& memory, const Segments& segments) const {
  ProjectedMemory projected{segments, {}, {}};
  const Tensor KV = W_KV(memory);
  std::int64_t column = 0;
  for (const DecoderLayer& layer : layers) {
    const nn::AttentionSizes& sizes = layer.cross.multi_head.sizes;
    projected.K.push_back(columns(KV, column, sizes.keys()));
    projected.V.push_back(columns(KV, column + sizes.keys(), sizes.values()));
    column += sizes.keys() + sizes.values();
  }
  return projected;
}

Tensor Decoder::operator()(const Tensor& embedded, const Segments& segments, const ProjectedMemory& memory,
                           nn::Pass& pass) const {
  const Reach past{segments, segments, mask}, source{segments, memory.segments, {}};
  Stream stream = enter(embedded, layers.front().ln1, norm);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const DecoderLayer& layer = layers[l];
    stream = through(stream, [&](Stream inner) {
      const Tensor attended = layer.self(inner.y, past, pass);
      inner = residual(inner, attended, norm_after(layers, l, 0, norm, ln), norm, segments, pass.dropout(P_drop));
      const Tensor read = layer.cross(inner.y, memory.K[l], memory.V[l], source, pass);
      inner = residual(inner, read, norm_after(layers, l, 1, norm, ln), norm, segments, pass.dropout(P_drop));
      const Tensor fed = layer.ffn(inner.y, segments, pass);
      return residual(inner, fed, norm_after(layers, l, 2, norm, ln), norm, segments, pass.dropout(P_drop));
    });
  }
  return stream.y;
}

void Decoder::remember(const Tensor& memory, const Array& rows, const DecoderCaches& caches) const {
  Backend& on = memory.backend();
  const ArenaScope scratch(on.arena());
  on.place_rows(W_KV(memory).array(), rows, caches.memory());
}

Tensor Decoder::step(const Tensor& embedded, const StepRows& step, const DecoderCaches& caches, nn::Pass& pass) const {
  const std::int64_t rows = step.count();
  require<ShapeError>(embedded.rows() == rows && rows > 0, "step: ", embedded.rows(), " rows for a step of ", rows);
  const Segments one_each{.B = rows, .R = rows, .longest = 1, .offsets = {}, .position = {}, .sentence = {}};
  Stream stream = enter(embedded, layers.front().ln1, norm);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const DecoderLayer& layer = layers[l];
    const Tensor attended = layer.self.step(stream.y, caches.past(l, step), mask.r, pass);
    stream = residual(stream, attended, norm_after(layers, l, 0, norm, ln), norm, one_each);
    const Tensor read = layer.cross.step(stream.y, caches.memory_K(l), caches.memory_V(l), step.memory, pass);
    stream = residual(stream, read, norm_after(layers, l, 1, norm, ln), norm, one_each);
    stream = residual(stream, layer.ffn(stream.y, one_each, pass), norm_after(layers, l, 2, norm, ln), norm, one_each);
  }
  return stream.y;
}

void Decoder::parameters(nn::ParameterVisitor& visit) {
  for (std::size_t l = 0; l < layers.size(); ++l) visit.inside(std::to_string(l), layers[l]);
  visit("W_KV", W_KV.W);
  visit("b_KV", W_KV.b);
  if (norm == Norm::kPre) visit.inside("ln", ln);
}

}  // namespace dragoman::model
