// The encoder (Section 3.1 of the paper): a stack of N identical layers.
#pragma once

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

 private:
  // The LayerNorm that is applied to the sum after a layer's last sub-layer.
  const nn::LayerNorm& after(std::size_t layer) const;
};

// What both stacks make of a configuration.
nn::AttentionSizes attention_sizes(const TransformerConfig& config);

}  // namespace dragoman::model
