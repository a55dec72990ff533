// The decoder (Section 3.1 of the paper): a stack of N layers that also read the encoder's output, whole sentences at a
// time for training, or one token at a time with cached keys and values for translation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/model/config.h"
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

// What lives between the steps of a translation: a value, whose arrays lie in the arena below the steps' own.
struct DecoderState {
  ProjectedMemory memory;
  std::vector<nn::Projections> cache;  // K and V, [steps, rows, h d_k] and [steps, rows, h d_v], one a layer
  std::int64_t steps = 0;              // room in the cache

  // Row r is a hypothesis for sentence sentences[r] that has lengths[r] tokens so far; the keys of its step t lie in
  // row ancestors[r * steps + t] of the cache. Choosing hypotheses edits this table, not the cache.
  std::vector<std::int32_t> sentences, lengths, ancestors;

  std::int64_t rows() const { return static_cast<std::int64_t>(sentences.size()); }
  // Makes row r go on from what row parents[r] was. Rows may be repeated, dropped and reordered.
  void reorder(std::span<const std::int32_t> parents);
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

  // One token per hypothesis: `embedded` has a row for each row of the state, which it extends.
  Tensor step(const Tensor& embedded, DecoderState& state) const;

  void parameters(nn::ParameterVisitor& visit);
};

}  // namespace dragoman::model
