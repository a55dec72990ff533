// The encoder (Section 3.1 of the paper): a stack of N identical layers.
#pragma once

#include <array>
#include <vector>

#include "dragoman/model/config.h"
#include "dragoman/model/residual.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/feed_forward.h"

namespace dragoman::model {

// Two sub-layers, each followed by (post-norm) or preceded by (pre-norm) its LayerNorm.
struct EncoderLayer {
  nn::SelfAttention self;
  nn::FeedForward ffn;
  nn::LayerNorm ln1, ln2;

  EncoderLayer(const TransformerConfig& config, int layer);
  std::array<const nn::LayerNorm*, 2> norms() const { return {&ln1, &ln2}; }  // by sub-layer
  void parameters(nn::ParameterVisitor& visit);
};

struct Encoder {
  std::vector<EncoderLayer> layers;
  nn::LayerNorm ln;  // after the last layer, pre-norm only
  Norm norm = Norm::kPost;
  double P_drop = 0.1;
  Mask mask;

  explicit Encoder(const TransformerConfig& config);

  // From embedded tokens to the memory that the decoder reads.
  Tensor operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const;

  void parameters(nn::ParameterVisitor& visit);
};

// What both stacks make of a configuration.
nn::AttentionSizes attention_sizes(const TransformerConfig& config);

}  // namespace dragoman::model
