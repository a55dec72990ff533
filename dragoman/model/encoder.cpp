#include "dragoman/model/encoder.h"

#include <string>

namespace dragoman::model {

nn::AttentionSizes attention_sizes(const TransformerConfig& config) {
  return {.d_model = config.d_model,
          .h = config.h,
          .d_k = config.key_width(),
          .d_v = config.value_width(),
          .bias = config.attention_bias,
          .P_drop = config.P_drop_attention,
          .init = config.init == Init::kT2T ? nn::AttentionInit::kT2T : nn::AttentionInit::kFairseq};
}

EncoderLayer::EncoderLayer(const TransformerConfig& config, int layer)
    : self(attention_sizes(config), nn::AttentionKind::kEncoderSelf, layer),
      ffn(config.d_model, config.d_ff, config.P_drop_relu),
      ln1(config.d_model, config.ln_eps),
      ln2(config.d_model, config.ln_eps) {}

void EncoderLayer::parameters(nn::ParameterVisitor& visit) {
  visit.inside("self", self);
  visit.inside("ln1", ln1);
  visit.inside("ffn", ffn);
  visit.inside("ln2", ln2);
}

Encoder::Encoder(const TransformerConfig& config) : norm(config.norm), P_drop(config.P_drop), mask{.r = config.window} {
  for (int layer = 0; layer < config.N_enc; ++layer) layers.emplace_back(config, layer);
  if (norm == Norm::kPre) ln = nn::LayerNorm(config.d_model, config.ln_eps);
}

Tensor Encoder::operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const {
  const Reach reach{segments, segments, mask};
  Stream stream = enter(embedded, layers.front().ln1, norm);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const EncoderLayer& layer = layers[l];
    stream = through(stream, [&](Stream inner) {
      const Tensor attended = layer.self(inner.y, reach, pass);
      inner = residual(inner, attended, norm_after(layers, l, 0, norm, ln), norm, segments, pass.dropout(P_drop));
      const Tensor fed = layer.ffn(inner.y, segments, pass);
      return residual(inner, fed, norm_after(layers, l, 1, norm, ln), norm, segments, pass.dropout(P_drop));
    });
  }
  return stream.y;
}

void Encoder::parameters(nn::ParameterVisitor& visit) {
  for (std::size_t l = 0; l < layers.size(); ++l) visit.inside(std::to_string(l), layers[l]);
  if (norm == Norm::kPre) visit.inside("ln", ln);
}

}  // namespace dragoman::model
