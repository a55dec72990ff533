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
// as in tensor2tensor: sines in the first half of the channels, cosines in the second. kLearned: a learned table for
// each stack. kNone: none.
enum class Positions { kSinusoid, kSinusoidT2T, kLearned, kNone };
constexpr std::array<std::string_view, 4> names(Positions) { return {"sinusoid", "sinusoid-t2t", "learned", "none"}; }

// The rule for initial weights: that of tensor2tensor or that of fairseq.
enum class Init { kT2T, kFairseq };
constexpr std::array<std::string_view, 2> names(Init) { return {"t2t", "fairseq"}; }

struct TransformerConfig {
  static constexpr std::string_view kArch = "transformer";

  int N_enc = 6;
  int N_dec = 6;
  int d_model = 512;
  int d_ff = 2048;
  int h = 8;
  OptionalSize d_k = 0;  // 0: d_model / h; key_width() and value_width() give the width in use
  OptionalSize d_v = 0;
  int V_source = 37000;
  int V_target = 37000;
  Tie tie = Tie::kThreeWay;
  Positions positions = Positions::kSinusoid;
  int max_positions = 1024;
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
    field("source-vocabulary", V_source, "rows of the source embedding");
    field("target-vocabulary", V_target, "rows of the target embedding and of the output projection");
    field("tie", tie, "which of source embedding, target embedding and output projection share one matrix");
    field("positions", positions, "position encodings");
    field("max-positions", max_positions, "rows of each learned position table");
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

  // d_k and d_v of a head: as configured, or d_model / h by default.
  int key_width() const { return d_k > 0 ? int{d_k} : d_model / h; }
  int value_width() const { return d_v > 0 ? int{d_v} : d_model / h; }

  int width() const { return d_model; }

  // Throws a UsageError for invalid settings.
  void validate() const;
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
