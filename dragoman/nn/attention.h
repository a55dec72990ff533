// Attention (Section 3.2 of the paper): scaled dot-product attention (Equation 1), multi-head attention (Section
// 3.2.2), and its two uses (Section 3.2.3): self-attention and encoder-decoder attention.
#pragma once

#include "dragoman/nn/linear.h"
#include "dragoman/nn/pass.h"

namespace dragoman::nn {

// softmax(Q K^T / sqrt(d_k)), for one sentence and one head: row i holds the weights of query i on all keys.
Tensor attention_weights(const Tensor& Q, const Tensor& K, const Mask& mask);
// Equation (1):  Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V, for one sentence and one head.
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Mask& mask);
// Equation (1) for every sentence and head of a ragged batch, one after the other, with dropout of the weights. The
// fused kernel is tested against it.
Tensor attention_by_sentence(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, std::int64_t h,
                             const Dropout& dropout);

// The projected queries, keys and values of all heads side by side. Those of head i are columns [i d_k, (i + 1) d_k) of
// the members Q and K, and columns [i d_v, (i + 1) d_v) of the member V.
struct Projections {
  Tensor Q, K, V;
};

// Whose rule gives the initial weights of the projections: that of tensor2tensor (the paper's code) or that of
// fairseq.
enum class AttentionInit : std::uint8_t { kT2T, kFairseq };

struct AttentionSizes {
  std::int64_t d_model = 512, h = 8, d_k = 64, d_v = 64;
  bool bias = false;  // whether W^Q, W^K, W^V and W^O have biases; the paper has none
  double P_drop = 0;  // dropout of the attention weights
  AttentionInit init = AttentionInit::kT2T;

  // The widths of the keys and of the values of all heads together.
  std::int64_t keys() const { return h * d_k; }
  std::int64_t values() const { return h * d_v; }
};

enum class Projection : std::uint8_t { kQueries, kKeys, kValues };

// Name, width and initial distribution of W_Q, W_K or W_V of all heads, or of their biases. They are columns of a
// larger parameter, so that one product computes several projections.
Parameter::Columns projection_weights(const AttentionSizes& sizes, Projection projection,
                                      const std::string& prefix = "");
Parameter::Columns projection_biases(const AttentionSizes& sizes, Projection projection,
                                     const std::string& prefix = "");

// The part that self-attention and encoder-decoder attention share: everything after the projections.
struct MultiHeadAttention {
  AttentionSizes sizes;
  int site = 0, layer = 0;  // index into the model's list of attention sites, and the layer, counted from 0
  Linear W_O;               // [h d_v, d_model]

  MultiHeadAttention() = default;
  MultiHeadAttention(const AttentionSizes& sizes_, int site_, int layer_);

  // Section 3.2.2:  MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, for a ragged batch, all heads at once.
  Tensor operator()(const Projections& projected, const Reach& reach, Pass& pass) const;
  // The number of heads, the scale and the dropout, as the attention kernels take them.
  Heads heads(const Dropout& dropout = {}) const;
  // Sets the outputs of the heads that the pass switches off to zero. O is [rows, h d_v], all heads side by side.
  void switch_off(const Array& O, const Pass& pass) const;
  // An array for the weights of a decoding step; absent if the pass has no observer.
  Array step_weights(std::int64_t rows, std::int64_t keys, DType dtype, const Pass& pass) const;
  // The end of a decoding step: passes the weights to the observer, and multiplies the heads' outputs O by W^O.
  Tensor finish_step(const Array& O, const Array& weights, Pass& pass) const;
};

// Self-attention: queries, keys and values are all projections of x, computed by one product.
struct SelfAttention {
  MultiHeadAttention multi_head;
  Linear W_QKV;  // W_Q, W_K and W_V of all heads, side by side: [d_model, 2 h d_k + h d_v]

  SelfAttention() = default;
  SelfAttention(const AttentionSizes& sizes, int site, int layer);

  Projections project(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Reach& reach, Pass& pass) const {
    return multi_head(project(x), reach, pass);
  }
  // A decoding step: row i of x is the new token of hypothesis i. Its key and value are written to the cache. It
  // attends to those of its tokens that the causal mask allows.
  Tensor step(const Tensor& x, const CachedKeys& cache, const Mask& mask, Pass& pass) const;

  void parameters(ParameterVisitor& visit);
};

// Encoder-decoder attention: queries are projections of the decoder's x, keys and values of the encoder's output. The
// decoder projects the keys and values for all of its layers in one product, so W_K and W_V are not members here.
struct CrossAttention {
  MultiHeadAttention multi_head;
  Linear W_Q;

  CrossAttention() = default;
  CrossAttention(const AttentionSizes& sizes, int site, int layer);

  Tensor operator()(const Tensor& x, const Tensor& K, const Tensor& V, const Reach& reach, Pass& pass) const {
    return multi_head({W_Q(x), K, V}, reach, pass);
  }
  // A decoding step: row i of x is a token of hypothesis i, which attends to the memory of its source sentence.
  Tensor step(const Tensor& x, const Array& K, const Array& V, const MemoryRows& memory, Pass& pass) const;

  void parameters(ParameterVisitor& visit);
};

}  // namespace dragoman::nn
