// The settings of the Transformer and of its training. The defaults are the base model of "Attention Is All You Need";
// names follow the paper.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dragoman/base/fields.h"
#include "dragoman/optim/schedule.h"

namespace dragoman::model {

// Where a sub-layer S normalises: after the addition, LN(x + S(x)), as in the paper, or before S, x + S(LN(x)), with
// one more LayerNorm after the last layer of each stack.
enum class Norm { kPost, kPre };
constexpr std::array<std::string_view, 2> names(Norm) { return {"post", "pre"}; }

// Which of the source embedding, the target embedding and the output projection are one matrix: all three, as in the
// paper; the target embedding and the output; or none.
enum class Tie { kThreeWay, kDecoder, kNone };
constexpr std::array<std::string_view, 3> names(Tie) { return {"three-way", "decoder", "none"}; }

// Position encodings: the paper's sine and cosine by turns, tensor2tensor's sines first and cosines last, a learned
// table for each stack, or none.
enum class Positions { kSinusoid, kSinusoidT2T, kLearned, kNone };
constexpr std::array<std::string_view, 4> names(Positions) { return {"sinusoid", "sinusoid-t2t", "learned", "none"}; }

// Whose initialisation of the weights.
enum class Init { kT2T, kFairseq };
constexpr std::array<std::string_view, 2> names(Init) { return {"t2t", "fairseq"}; }

// What the decoder reads before the first word.
enum class DecoderStart { kBos, kEos, kZeroVector };
constexpr std::array<std::string_view, 3> names(DecoderStart) { return {"bos", "eos", "zero-vector"}; }

// Where label smoothing puts its mass eps_ls: on every class but the true one, or on all classes alike.
enum class Smoothing { kRest, kUniform };
constexpr std::array<std::string_view, 2> names(Smoothing) { return {"rest", "uniform"}; }

struct TransformerConfig {
  int N_enc = 6;
  int N_dec = 6;
  int d_model = 512;
  int d_ff = 2048;
  int h = 8;
  OptionalSize d_k = 0;  // key_width() and value_width() say what holds
  OptionalSize d_v = 0;
  int V_source = 37000;
  int V_target = 37000;
  Tie tie = Tie::kThreeWay;
  Positions positions = Positions::kSinusoid;
  int max_positions = 1024;
  Norm norm = Norm::kPost;
  bool attention_bias = false;
  bool output_bias = false;
  bool target_space_table = false;
  OptionalSize window = 0;
  float ln_eps = 1e-6f;
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
    field("d-k", d_k, "width of a head's queries and keys");
    field("d-v", d_v, "width of a head's values");
    field("source-vocabulary", V_source, "rows of the source embedding");
    field("target-vocabulary", V_target, "rows of the target embedding and of the output projection");
    field("tie", tie, "which of source embedding, target embedding and output projection are one matrix");
    field("positions", positions, "position encodings");
    field("max-positions", max_positions, "rows of each learned position table");
    field("norm", norm, "LayerNorm after each sub-layer's addition, or before each sub-layer");
    field("attention-bias", attention_bias, "give the attention projections biases");
    field("output-bias", output_bias, "give the output projection a bias");
    field("target-space-table", target_space_table, "count the 32-row table that the code of 2017 had");
    field("window", window, "restrict self-attention to this many neighbouring positions");
    field("layer-norm-epsilon", ln_eps, "added to the variance in LayerNorm");
    field("dropout", P_drop, "dropout of embeddings and of every sub-layer's output");
    field("attention-dropout", P_drop_attention, "dropout of attention weights");
    field("relu-dropout", P_drop_relu, "dropout inside the feed-forward sub-layers");
    field("initialisation", init, "whose rule draws the first weights");
    field("decoder-start", decoder_start, "what the decoder reads before the first word");
  }

  template <class Visitor>
  void shorthands(Visitor&& field) {
    field("layers", Both{N_enc, N_dec}, "layers of the encoder and of the decoder");
    field("vocabulary", Both{V_source, V_target}, "rows of the embeddings of both sides");
  }

  // d_k and d_v of a head, as given or d_model / h.
  int key_width() const { return d_k > 0 ? int{d_k} : d_model / h; }
  int value_width() const { return d_v > 0 ? int{d_v} : d_model / h; }

  // Throws a UsageError for settings that make no model.
  void validate() const;
};

struct TrainingConfig {
  double eps_ls = 0.1;
  Smoothing smoothing = Smoothing::kRest;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-9;
  optim::RateShape schedule = optim::RateShape::kPaper;
  double rate_constant = 1.0;
  double peak_rate = 5e-4;
  double initial_rate = 0;
  int warmup = 4000;
  double cooldown = 0;
  int steps = 100000;
  double weight_decay = 0;
  double clip = 0;
  int batch_tokens = 25000;
  int accumulate = 1;
  int average = 5;
  double ema = 0;
  std::uint64_t seed = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("label-smoothing", eps_ls, "probability taken from the true word and spread over the others");
    field("smoothing", smoothing, "spread it over the rest of the vocabulary, or over all of it");
    field("beta1", beta1, "Adam's decay of the mean gradient");
    field("beta2", beta2, "Adam's decay of the mean squared gradient");
    field("adam-epsilon", eps, "added to Adam's denominator");
    field("schedule", schedule, "how the rate falls after the warm-up: equation (3), or from a peak-rate");
    field("rate-constant", rate_constant, "c in the paper's c d-model^-0.5 min(step^-0.5, step warmup^-1.5)");
    field("peak-rate", peak_rate, "the highest rate of the schedule inverse-sqrt");
    field("initial-rate", initial_rate, "the rate from which the schedule inverse-sqrt rises");
    field("warmup", warmup, "updates over which the rate rises");
    field("cooldown", cooldown, "share of the steps, at the end, over which the rate falls to zero");
    field("steps", steps, "updates to train for");
    field("weight-decay", weight_decay, "decoupled weight decay for each update; 0 for none");
    field("clip", clip, "largest norm of the gradient; 0 for no limit");
    field("batch-tokens", batch_tokens, "tokens of each side in one batch");
    field("accumulate", accumulate, "batches that make one update");
    field("average", average, "latest checkpoints whose mean is the model; 0 to use a single one");
    field("ema", ema, "decay of a moving average of the weights, such as 0.999; 0 for none");
    field("seed", seed, "start of every random stream");
  }

  optim::Schedule rates(const TransformerConfig& model) const;

  // Throws a UsageError for settings that cannot train.
  void validate() const;
};

}  // namespace dragoman::model
