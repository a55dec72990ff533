// Attention (Section 3.2 of the paper): scaled dot-product attention (Equation 1), multi-head attention (Section
// 3.2.2), and its two uses (Section 3.2.3): self-attention and encoder-decoder attention. Unscaled and additive scores,
// which the paper compares with its own, can take the place of the scaled ones.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "dragoman/nn/linear.h"
#include "dragoman/nn/pass.h"

namespace dragoman::nn {

// softmax(Q K^T / sqrt(d_k)), for one sentence and one head: row i holds the weights of query i on all keys.
Tensor attention_weights(const Tensor& Q, const Tensor& K, const Mask& mask);
// softmax(scale Q K^T).
Tensor attention_weights(const Tensor& Q, const Tensor& K, const Mask& mask, double scale);
// The softmax of the additive scores v . tanh(q_i + k_j), for v [1, d_k].
Tensor additive_weights(const Tensor& Q, const Tensor& K, const Tensor& v, const Mask& mask);
// Equation (1):  Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V, for one sentence and one head.
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Mask& mask);
// The weights of head i of one sentence, from that head's queries and keys.
using WeightsOfHead = std::function<Tensor(const Tensor& Q, const Tensor& K, const Mask& mask, std::int64_t i)>;
// Attention of every sentence and head of a ragged batch, one after the other, with dropout of the weights. The fused
// kernels are tested against it. The first takes the weights of equation (1).
Tensor attention_by_sentence(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, std::int64_t h,
                             const Dropout& dropout);
Tensor attention_by_sentence(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, std::int64_t h,
                             const Dropout& dropout, const WeightsOfHead& weights_of_head);

// The projected queries, keys and values of all heads side by side. Those of head i are columns [i d_k, (i + 1) d_k) of
// the members Q and K, and columns [i d_v, (i + 1) d_v) of the member V.
struct Projections {
  Tensor Q, K, V;
};

// Whose rule gives the initial weights of the projections: that of tensor2tensor (the paper's code) or that of
// fairseq.
enum class AttentionInit : std::uint8_t { kT2T, kFairseq };

// How a head compares a query q with a key k (Section 3.2.1).
enum class AttentionScore : std::uint8_t {
  kScaled,    // q . k / sqrt(d_k), as in the paper
  kDot,       // q . k
  kAdditive,  // v . tanh(q + k), with a learned vector v for each head
};
constexpr std::array<std::string_view, 3> names(AttentionScore) { return {"scaled", "dot", "additive"}; }

struct AttentionSizes {
  std::int64_t d_model = 512, h = 8, d_k = 64, d_v = 64;
  AttentionScore score = AttentionScore::kScaled;
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
  Parameter v;              // [h, d_k], of additive scores; optional

  MultiHeadAttention() = default;
  MultiHeadAttention(const AttentionSizes& sizes_, int site_, int layer_);

  // Section 3.2.2:  MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, for a ragged batch, all heads at once.
  Tensor operator()(const Projections& projected, const Reach& reach, Pass& pass) const;
  // The number of heads, the scale and the dropout, as the attention kernels take them.
  Heads heads(const Dropout& dropout = {}) const;
  // Sets the outputs of the heads that the pass switches off to zero. O is [rows, h d_v], all heads side by side.
  void switch_off(const Array& O, const Pass& pass) const;
  // A decoding step over the cache, and one over the memory: the concatenated heads O [rows, h d_v] and, unless absent,
  // the weights, see AttentionKernels.
  void attend(const Projections& projected, const CachedKeys& cache, const Mask& mask, const Pass& pass, Array& O,
              Array& weights) const;
  void attend(const Tensor& Q, const Array& K, const Array& V, const MemoryRows& memory, const Pass& pass, Array& O,
              Array& weights) const;
  // An array for the weights of a decoding step; absent if the pass has no observer.
  Array step_weights(std::int64_t rows, std::int64_t keys, DType dtype, const Pass& pass) const;
  // The end of a decoding step: passes the weights to the observer, and multiplies the heads' outputs O by W^O.
  Tensor finish_step(const Array& O, const Array& weights, Pass& pass) const;

  void parameters(ParameterVisitor& visit);
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
