#include "dragoman/model/transformer/description.h"

namespace dragoman::model::transformer {
namespace {

nn::SiteScore site_score(nn::AttentionScore score) {
  switch (score) {
    case nn::AttentionScore::kScaled: return nn::SiteScore::kScaledProduct;
    case nn::AttentionScore::kDot: return nn::SiteScore::kProduct;
    case nn::AttentionScore::kAdditive: return nn::SiteScore::kAdditive;
  }
  return nn::SiteScore::kScaledProduct;
}

}  // namespace

nn::AttentionSites attention_sites(const TransformerConfig& config, int encoder_layers, int decoder_layers) {
  const int r = config.window;
  const bool centred = r > 0 && config.window_kind == Mask::Window::kSliding;
  const auto site = [&](const char* name, nn::Side queries, nn::Side keys, int layers, int window) {
    const LayerSizes sizes = queries == nn::Side::kTarget ? config.decoder_sizes() : config.encoder_sizes();
    return nn::AttentionSite{.name = name,
                             .queries = queries,
                             .keys = keys,
                             .layers = layers,
                             .heads = sizes.h,
                             .d_k = sizes.d_k,
                             .window = window,
                             .window_kind = window > 0 ? config.window_kind : Mask::Window::kSliding,
                             .score = site_score(config.attention_score)};
  };
  using enum nn::Side;
  nn::AttentionSites sites(3);
  sites[kEncoderSite] = site("encoder", kSource, kSource, encoder_layers, centred ? 2 * (r / 2) + 1 : r);
  sites[kDecoderSite] = site("decoder", kTarget, kTarget, decoder_layers, r);
  sites[kCrossSite] = site("cross", kTarget, kSource, decoder_layers, 0);
  return sites;
}

// Figure 1 of the paper. With pre-norm each LayerNorm is before its sub-layer, and one more is on top of each stack.
Blocks layer_blocks(const TransformerConfig& config, Stack::Kind kind) {
  using enum BlockKind;
  const bool is_pre = config.norm == Norm::kPre, is_decoder = kind == Stack::Kind::kDecoder;
  Blocks layer;
  const auto add_sub_layer = [&](const Block& block) {
    if (is_pre) layer.push_back({.kind = kNorm});
    layer.push_back(block);
    layer.push_back({.kind = is_pre ? kAdd : kAddNorm});
  };
  add_sub_layer({.kind = kAttention, .site = is_decoder ? "decoder" : "encoder"});
  if (is_decoder) add_sub_layer({.kind = kAttention, .site = "cross", .reads = "encoder"});
  add_sub_layer({.kind = kFeedForward});
  return layer;
}

Blocks top_blocks(const TransformerConfig& config, Stack::Kind kind) {
  using enum BlockKind;
  Blocks top;
  if (config.norm == Norm::kPre) top.push_back({.kind = kNorm});
  if (kind == Stack::Kind::kEncoder) return top;
  top.push_back({.kind = kLinear});
  top.push_back({.kind = kSoftmax});
  return top;
}

}  // namespace dragoman::model::transformer
