#include "dragoman/model/transformer/stack.h"

#include <string>

namespace dragoman::model::transformer {
namespace {

LayerSizes sizes_of(const TransformerConfig& config, Stack::Kind kind) {
  return kind == Stack::Kind::kDecoder ? config.decoder_sizes() : config.encoder_sizes();
}

Layer make_layer(const TransformerConfig& config, Stack::Kind kind, int number) {
  const nn::AttentionSizes sizes = attention_sizes(config, kind);
  const bool is_decoder = kind == Stack::Kind::kDecoder;
  const nn::SubLayer where{.side = Stack::side_of(kind), .layer = number};
  Layer layer{
      .self = nn::SelfAttention(sizes, is_decoder ? kDecoderSite : kEncoderSite, number),
      .cross = std::nullopt,
      .ffn = nn::FeedForward(config.d_model, sizes_of(config, kind).d_ff, config.P_drop_relu, where, config.activation),
      .norms = {}};
  if (is_decoder) layer.cross = nn::CrossAttention(sizes, kCrossSite, number);
  layer.norms.assign(is_decoder ? 3 : 2, StackNorm(config));
  return layer;
}

}  // namespace

nn::AttentionSizes attention_sizes(const TransformerConfig& config, Stack::Kind kind) {
  const LayerSizes sizes = sizes_of(config, kind);
  return {.d_model = config.d_model,
          .h = sizes.h,
          .d_k = sizes.d_k,
          .d_v = sizes.d_v,
          .score = config.attention_score,
          .bias = config.attention_bias,
          .P_drop = config.P_drop_attention,
          .init = config.init == Init::kT2T ? nn::AttentionInit::kT2T : nn::AttentionInit::kFairseq};
}

void Layer::parameters(params::ParameterVisitor& visit) {
  std::size_t sub_layer = 0;
  const auto visit_norm = [&] {
    StackNorm& ln = norms[sub_layer++];
    visit.inside("ln" + std::to_string(sub_layer), ln);
  };
  visit.inside("self", self);
  visit_norm();
  if (cross) {
    visit.inside("cross", *cross);
    visit_norm();
  }
  visit.inside("ffn", ffn);
  visit_norm();
}

Stack::Stack(const TransformerConfig& config, Kind kind_)
    : kind(kind_),
      norm(config.norm),
      P_drop(config.P_drop),
      mask{.kind = kind == Kind::kDecoder ? Mask::Kind::kCausal : Mask::Kind::kAll,
           .r = config.window,
           .window = config.window_kind} {
  const int count = kind == Kind::kDecoder ? config.N_dec : config.N_enc;
  for (int number = 0; number < count; ++number) layers.push_back(make_layer(config, kind, number));
  if (norm == Norm::kPre) ln = StackNorm(config);
}

AddNorm Stack::add_norm() const {
  AddNorm rule{.norm = norm, .P_drop = P_drop, .norms = {}};
  for (const Layer& layer : layers) {
    for (const StackNorm& own : layer.norms) rule.norms.push_back(&own);
  }
  if (norm == Norm::kPre) rule.norms.push_back(&ln);
  return rule;
}

void Stack::show_state(std::size_t l, const Residual& residual, const Segments& segments, const nn::Pass& pass) const {
  if (pass.observer == nullptr || !pass.observer->wants_states()) return;
  const ArenaScope scratch(pass.on.arena());
  const bool is_output = norm == Norm::kPost || l + 1 == layers.size();  // otherwise y is the next layer's input
  const Tensor state = is_output ? residual.y() : ln(residual.x(), segments, pass);
  pass.observer->see_state(side_of(kind), pass.depth + static_cast<int>(l), state.array());
}

void Stack::layer_parameters(params::ParameterVisitor& visit) {
  for (std::size_t l = 0; l < layers.size(); ++l) visit.inside(std::to_string(l), layers[l]);
}

void Stack::norm_parameters(params::ParameterVisitor& visit) {
  if (norm == Norm::kPre) visit.inside("ln", ln);
}

}  // namespace dragoman::model::transformer
