// Attention (Section 3.2 of the paper): scaled dot-product attention, multi-head attention, and its two uses.
#pragma once

#include "dragoman/nn/linear.h"
#include "dragoman/nn/pass.h"

namespace dragoman::nn {

// softmax(Q K^T / sqrt(d_k)): row i says how much query i takes from each key. One sentence, one head.
Tensor attention_weights(const Tensor& Q, const Tensor& K, const Mask& mask);
// Equation (1).
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Mask& mask);
// The same for every sentence and head of a ragged batch, one after the other: what the fused kernel must equal.
Tensor attention_by_sentence(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, std::int64_t h,
                             const Dropout& dropout);

// Queries, keys and values of all heads side by side: head i owns columns i d_k up to (i + 1) d_k (d_v for V).
struct Projections {
  Tensor Q, K, V;
};

enum class AttentionInit : std::uint8_t { kT2T, kFairseq };

struct AttentionSizes {
  std::int64_t d_model = 512, h = 8, d_k = 64, d_v = 64;
  bool bias = false;  // of all four projections
  double P_drop = 0;  // of the weights
  AttentionInit init = AttentionInit::kT2T;

  std::int64_t keys() const { return h * d_k; }
  std::int64_t values() const { return h * d_v; }
};

// The columns W_Q, W_K or W_V (or their biases) of a fused projection, with their initial distribution.
enum class Projection : std::uint8_t { kQueries, kKeys, kValues };
Parameter::Columns projection_weights(const AttentionSizes& sizes, Projection projection,
                                      const std::string& prefix = "");
Parameter::Columns projection_biases(const AttentionSizes& sizes, Projection projection,
                                     const std::string& prefix = "");

// What both uses share: everything after the projections of queries, keys and values.
struct MultiHeadAttention {
  AttentionSizes sizes;
  int site = 0, layer = 0;  // where it stands, as the model lists its sites
  Linear W_O;               // [h d_v, d_model]

  MultiHeadAttention() = default;
  MultiHeadAttention(const AttentionSizes& sizes_, int site_, int layer_);

  // Section 3.2.2, for a ragged batch, all heads at once.
  Tensor operator()(const Projections& projected, const Reach& reach, Pass& pass) const;
  Heads heads(const Dropout& dropout = {}) const;
  // Zeros what heads gave [rows, h d_v] that are switched off for them.
  void switch_off(const Array& O, const Pass& pass) const;
  // Where the weights of a decoding step are to be written: nowhere, unless somebody observes.
  Array step_weights(std::int64_t rows, std::int64_t keys, DType dtype, const Pass& pass) const;
  // The end of a step: shows the weights, and multiplies what the heads gave by W^O.
  Tensor finish_step(const Array& O, const Array& weights, Pass& pass) const;
};

// Self-attention: queries, keys and values all come from x, by one product.
struct SelfAttention {
  MultiHeadAttention multi_head;
  Linear W_QKV;  // W_Q, W_K, W_V side by side

  SelfAttention() = default;
  SelfAttention(const AttentionSizes& sizes, int site, int layer);

  Projections project(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Reach& reach, Pass& pass) const {
    return multi_head(project(x), reach, pass);
  }
  // One new token per hypothesis, which joins the cache; r > 0 restricts it to the last r.
  Tensor step(const Tensor& x, const CachedKeys& cache, std::int64_t r, Pass& pass) const;

  void parameters(ParameterVisitor& visit);
};

// Encoder-decoder attention: queries come from the decoder, keys and values from the encoder's output. The decoder
// projects these for all of its layers in one product, so they are not this layer's own.
struct CrossAttention {
  MultiHeadAttention multi_head;
  Linear W_Q;

  CrossAttention() = default;
  CrossAttention(const AttentionSizes& sizes, int site, int layer);

  Tensor operator()(const Tensor& x, const Tensor& K, const Tensor& V, const Reach& reach, Pass& pass) const {
    return multi_head({W_Q(x), K, V}, reach, pass);
  }
  // One query per hypothesis, over the memory of the sentence that it translates.
  Tensor step(const Tensor& x, const Array& K, const Array& V, const MemoryRows& memory, Pass& pass) const;

  void parameters(ParameterVisitor& visit);
};

}  // namespace dragoman::nn
