// The decoder (Section 3.1 of the paper): a stack of N layers that also read the encoder's output, whole sentences at a
// time for training, or one token at a time with cached keys and values for translation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dragoman/model/config.h"
#include "dragoman/model/decoder_caches.h"
#include "dragoman/model/residual.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/feed_forward.h"

namespace dragoman::model {

// Three sub-layers: self-attention that sees no future, attention over the memory, and the feed-forward network.
struct DecoderLayer {
  nn::SelfAttention self;
  nn::CrossAttention cross;
  nn::FeedForward ffn;
  nn::LayerNorm ln1, ln2, ln3;

  DecoderLayer(const TransformerConfig& config, int layer);
  std::array<const nn::LayerNorm*, 3> norms() const { return {&ln1, &ln2, &ln3}; }  // by sub-layer
  void parameters(nn::ParameterVisitor& visit);
};

// The encoder's output, projected to the keys and values of every decoder layer.
struct ProjectedMemory {
  Segments segments;
  std::vector<Tensor> K, V;  // one a layer
};

struct Decoder {
  std::vector<DecoderLayer> layers;
  nn::Linear W_KV;   // W_K and W_V of every layer's attention over the memory, side by side: one product
  nn::LayerNorm ln;  // after the last layer, pre-norm only
  Norm norm = Norm::kPost;
  double P_drop = 0.1;
  Mask mask;

  explicit Decoder(const TransformerConfig& config);

  ProjectedMemory project(const Tensor& memory, const Segments& segments) const;

  // All positions at once: row j of the result is to predict token j of the target.
  Tensor operator()(const Tensor& embedded, const Segments& segments, const ProjectedMemory& memory,
                    nn::Pass& pass) const;

  // Puts the projected memory, row by row, into these rows (int32 [R]) of the caches.
  void remember(const Tensor& memory, const Array& rows, const DecoderCaches& caches) const;
  // One token per hypothesis: `embedded` has a row for each row of the step.
  Tensor step(const Tensor& embedded, const StepRows& rows, const DecoderCaches& caches, nn::Pass& pass) const;

  void parameters(nn::ParameterVisitor& visit);
};

}  // namespace dragoman::model
