// The settings of the Transformer. The defaults are the base model of "Attention Is All You Need"; names follow the
// paper.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dragoman/array/segments.h"
#include "dragoman/model/checked.h"
#include "dragoman/model/config.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/feed_forward.h"

namespace dragoman::model::transformer {

// The place of LayerNorm around a sub-layer S. kPost, as in the paper: after the addition, LN(x + S(x)). kPre: before
// S, x + S(LN(x)), with one more LayerNorm after the last layer of each stack.
enum class Norm { kPost, kPre };
constexpr std::array<std::string_view, 2> names(Norm) { return {"post", "pre"}; }

// What that normalisation is: LayerNorm, over the features of each token, as in the paper; or BatchNorm, over the
// tokens of the batch for each feature.
enum class NormKind { kLayer, kBatch };
constexpr std::array<std::string_view, 2> names(NormKind) { return {"layer", "batch"}; }

// Whether the statistics of BatchNorm leave out padding, of which there is none here, or include rows of zeros, as many
// as padding all sentences of a micro-batch to the length of the longest would take.
enum class BatchNormPadding { kIgnore, kInclude };
constexpr std::array<std::string_view, 2> names(BatchNormPadding) { return {"ignore", "include"}; }

// Position encodings (Section 3.5). kSinusoid, as in the paper: sine and cosine in alternating channels. kSinusoidT2T,
// as in tensor2tensor: sines in the first half of the channels, cosines in the second, and slightly other frequencies.
// kSinusoidHalf: the paper's frequencies in that order. kLearned: a learned table for each stack. kNone: none.
enum class Positions { kSinusoid, kSinusoidT2T, kLearned, kNone, kSinusoidHalf };
constexpr std::array<std::string_view, 5> names(Positions) {
  return {"sinusoid", "sinusoid-t2t", "learned", "none", "sinusoid-half"};
}

// The factor of the embeddings: sqrt(d_model), as in the paper, or 1.
enum class EmbeddingScale { kSqrt, kNone };
constexpr std::array<std::string_view, 2> names(EmbeddingScale) { return {"sqrt", "none"}; }

// The rule for initial weights: that of tensor2tensor or that of fairseq.
enum class Init { kT2T, kFairseq };
constexpr std::array<std::string_view, 2> names(Init) { return {"t2t", "fairseq"}; }

// The sizes of the layers of one stack.
struct LayerSizes {
  int h, d_k, d_v, d_ff;
};

struct TransformerConfig {
  static constexpr std::string_view kArch = "transformer";

  int N_enc = 6;
  int N_dec = 6;
  int d_model = 512;
  int d_ff = 2048;
  int h = 8;
  OptionalSize d_k = 0;  // 0: d_model / h; encoder_sizes() and decoder_sizes() give the width in use
  OptionalSize d_v = 0;
  OptionalSize d_ff_dec = 0;  // of the decoder; 0: the same as in the encoder
  OptionalSize h_dec = 0;
  int V_source = 37000;
  int V_target = 37000;
  Tie tie = Tie::kThreeWay;
  Positions positions = Positions::kSinusoid;
  int max_positions = 1024;
  int first_position = 0;
  EmbeddingScale scale = EmbeddingScale::kSqrt;
  nn::HiddenActivation activation = nn::HiddenActivation::kRelu;
  Norm norm = Norm::kPost;
  NormKind norm_kind = NormKind::kLayer;
  BatchNormPadding bn_padding = BatchNormPadding::kIgnore;
  bool attention_bias = false;
  bool output_bias = false;
  bool target_space_table = false;
  OptionalSize window = 0;
  Mask::Window window_kind = Mask::Window::kSliding;
  float ln_eps = 1e-6f;
  float bn_eps = 1e-5f;
  nn::AttentionScore attention_score = nn::AttentionScore::kScaled;
  float P_drop = 0.1f;
  float P_drop_attention = 0;
  float P_drop_relu = 0;
  Init init = Init::kT2T;
  DecoderStart decoder_start = DecoderStart::kBos;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("encoder-layers", N_enc, "layers of the encoder");
    field("decoder-layers", N_dec, "layers of the decoder");
    field("d-model", d_model, "width of every sub-layer's output");
    field("d-ff", d_ff, "inner width of the feed-forward sub-layers");
    field("heads", h, "parallel attention heads; d-k and d-v default to d-model / heads");
    field("d-k", d_k, "width of a head's queries and keys; by default d-model / heads");
    field("d-v", d_v, "width of a head's values; by default d-model / heads");
    field("decoder-d-ff", d_ff_dec, "inner width of the decoder's feed-forward sub-layers; by default d-ff");
    field("decoder-heads", h_dec, "parallel attention heads of the decoder; by default heads");
    field("source-vocabulary", V_source, "rows of the source embedding");
    field("target-vocabulary", V_target, "rows of the target embedding and of the output projection");
    field("tie", tie, "which of source embedding, target embedding and output projection share one matrix");
    field("positions", positions, "position encodings");
    field("max-positions", max_positions, "rows of each learned position table");
    field("first-position", first_position, "the position of a sentence's first token");
    field("embedding-scale", scale, "multiply embeddings by the square root of d-model, or not");
    field("activation", activation, "the function inside the feed-forward sub-layers; silu is also called swish");
    field("norm", norm, "LayerNorm after each sub-layer's addition, or before each sub-layer");
    field("norm-kind", norm_kind, "LayerNorm over the features of a token, or BatchNorm over the tokens of a batch");
    field("batch-norm-padding", bn_padding, "whether BatchNorm counts the zeros that a padded batch would have");
    field("attention-score", attention_score,
          "how heads compare queries and keys: q.k / sqrt(d-k), q.k, or v.tanh(q+k)");
    field("attention-bias", attention_bias, "give the attention projections biases");
    field("output-bias", output_bias, "give the output projection a bias");
    field("target-space-table", target_space_table, "include the unused table of 32 rows that the 2017 code had");
    field(
        "window", window,
        "restrict self-attention to N neighbours: the last N tokens in the decoder, N/2 on either side in the encoder");
    field("window-kind", window_kind,
          "sliding: the window moves with its token; block: a token sees the block of N positions that it is in");
    field("layer-norm-epsilon", ln_eps, "added to the variance in LayerNorm");
    field("batch-norm-epsilon", bn_eps, "added to the variance in BatchNorm");
    field("dropout", P_drop, "dropout of embeddings and of every sub-layer's output");
    field("attention-dropout", P_drop_attention, "dropout of attention weights");
    field("relu-dropout", P_drop_relu, "dropout inside the feed-forward sub-layers");
    field("initialisation", init, "rule for the initial weights");
    field("decoder-start", decoder_start, "the decoder's input before the first word");
  }

  template <class Visitor>
  void shorthands(Visitor&& field) {
    field("layers", FieldPair{N_enc, N_dec}, "layers of the encoder and of the decoder");
    field("vocabulary", FieldPair{V_source, V_target}, "rows of the embeddings of both sides");
  }

  // With d_k and d_v as configured, or d_model / h by default.
  LayerSizes encoder_sizes() const { return layer_sizes(h, d_ff); }
  LayerSizes decoder_sizes() const {
    return layer_sizes(h_dec > 0 ? int{h_dec} : h, d_ff_dec > 0 ? int{d_ff_dec} : d_ff);
  }

  // The factor of the embeddings.
  double embedding_factor() const;

  int width() const { return d_model; }

  // Throws a UsageError for invalid settings.
  void validate() const;

 private:
  LayerSizes layer_sizes(int heads, int inner) const {
    return {heads, d_k > 0 ? int{d_k} : d_model / heads, d_v > 0 ? int{d_v} : d_model / heads, inner};
  }
};

// ModelConfig calls these.
std::unique_ptr<Seq2Seq> make_model(const TransformerConfig& config);
// Multiply-adds of one forward pass over a source sentence of n tokens and a target sentence of m tokens.
Checked multiply_adds(const TransformerConfig& config, std::int64_t n, std::int64_t m);
// The main sizes in a few words, for people.
std::string describe(const TransformerConfig& config);

}  // namespace dragoman::model::transformer

namespace dragoman::model {
using transformer::TransformerConfig;
}  // namespace dragoman::model
