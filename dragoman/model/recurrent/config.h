// The settings of a recurrent encoder-decoder, with and without attention.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dragoman/model/checked.h"
#include "dragoman/model/config.h"
#include "dragoman/model/recurrent/hard_credit.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::model::recurrent {

enum class CellName { kVanilla, kGru, kLstm };
constexpr std::array<std::string_view, 3> names(CellName) { return {"vanilla", "gru", "lstm"}; }

// Where the reset gate of a GRU acts; see nn::Reset.
enum class ResetName { kAfter, kBefore };
constexpr std::array<std::string_view, 2> names(ResetName) { return {"after", "before"}; }

// What the decoder reads of the source at step t, besides the word before, and when:
//   kFixed        no attention: the summary of the source, the same at every step
//   kPrevious     attention with the state before the step; the step reads the result (Bahdanau)
//   kCurrent      attention with the state after the step; the result goes to the readout and, with input feeding, to
//                 the next step (Luong)
//   kConditional  attention in the middle of a step of two cells (Nematus)
enum class ContextName { kFixed, kPrevious, kCurrent, kConditional };
constexpr std::array<std::string_view, 4> names(ContextName) { return {"fixed", "previous", "current", "conditional"}; }

// How attention scores the state h of a source token with the decoder's state s; see nn::KeyScore.
enum class ScoreName { kDot, kScaled, kGeneral, kAdditive, kAdditiveNormed, kConcat, kAlign, kAlignScaled };
constexpr std::array<std::string_view, 8> names(ScoreName) {
  return {"dot", "scaled", "general", "additive", "additive-normed", "concat", "align", "align-scaled"};
}

// The decoder's first state: the encoder's last states as they are, tanh of a linear map of them, tanh of a linear map
// of the mean of all states, or zeros.
enum class BridgeName { kCopy, kTanh, kMean, kZero };
constexpr std::array<std::string_view, 4> names(BridgeName) { return {"copy", "tanh", "mean", "zero"}; }

// What the output projection reads, with the state s, the context c and the embedding e of the word before:
//   kTanh   tanh(s W_s + c W_c + b)
//   kDeep   tanh(s W_s + c W_c + e W_e + b)
//   kState  s W_s + b
enum class ReadoutName { kTanh, kDeep, kState };
constexpr std::array<std::string_view, 3> names(ReadoutName) { return {"tanh", "deep", "state"}; }

// Whether the context is the mean of the values with the weights of attention (kSoft), or one of them: drawn with the
// weights as probabilities and trained by REINFORCE (kHard), or with Gumbel noise and a straight-through gradient.
enum class ModeName { kSoft, kHard, kGumbel };
constexpr std::array<std::string_view, 3> names(ModeName) { return {"soft", "hard", "gumbel"}; }

enum class InitName { kGlorot, kOrthogonal, kUniform };
constexpr std::array<std::string_view, 3> names(InitName) { return {"glorot", "orthogonal", "uniform"}; }

enum class StartName { kZero, kNoise };
constexpr std::array<std::string_view, 2> names(StartName) { return {"zero", "noise"}; }

struct RecurrentConfig {
  static constexpr std::string_view kArch = "rnn";

  CellName cell = CellName::kGru;
  ResetName reset = ResetName::kAfter;
  int N_enc = 1;
  int N_dec = 1;
  int E = 256;
  int H_enc = 256;  // of each direction
  int H_dec = 256;
  bool bidirectional = true;
  bool encoder_self_attention = false;
  ContextName context = ContextName::kPrevious;
  ScoreName score = ScoreName::kAdditive;
  OptionalSize attention_width = 0;  // 0: H_dec; the width of additive scores, and of the queries and keys of align
  OptionalSize value_width = 0;      // 0: the encoder's width; the width of the values of align
  ModeName mode = ModeName::kSoft;
  ReturnName hard_return = ReturnName::kStep;
  float hard_credit = 1;
  float hard_entropy = 0.01f;
  float soft_share = 0.5f;
  int gumbel_steps = 10000;
  bool input_feeding = false;
  BridgeName bridge = BridgeName::kTanh;
  ReadoutName readout = ReadoutName::kTanh;
  int V_source = 10000;
  int V_target = 10000;
  Tie tie = Tie::kThreeWay;
  float P_embedding = 0;
  float P_layers = 0;
  float P_context = 0;
  float P_output = 0;
  InitName init = InitName::kGlorot;
  StartName initial_state = StartName::kZero;
  float noise = 0.1f;
  DecoderStart decoder_start = DecoderStart::kBos;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("cell", cell, "recurrent cell");
    field("reset", reset, "apply the reset gate of a GRU after or before the product with the last state");
    field("encoder-layers", N_enc, "layers of the encoder");
    field("decoder-layers", N_dec, "layers of the decoder");
    field("embedding", E, "width of the embeddings and of the readout");
    field("encoder-hidden", H_enc, "width of the encoder's states, for each direction");
    field("hidden", H_dec, "width of the decoder's states");
    field("bidirectional", bidirectional, "read the source in both directions");
    field("encoder-self-attention", encoder_self_attention,
          "let each step of the encoder start from a mean of all its states before, chosen by attention");
    field("context", context, "what the decoder reads of the source: a fixed summary, or attention in this way");
    field("attention-score", score, "how attention compares the decoder's state with a source token");
    field("attention-width", attention_width,
          "width of additive scores, and of the queries and keys of align; by default hidden");
    field("value-width", value_width, "width of the values of align; by default the width of the encoder's states");
    field("attention-mode", mode, "attend to a mean of the source (soft), or to one token at a time");
    field("hard-return", hard_return,
          "what hard attention counts for a choice: the word of its step, or all that follow");
    field("hard-credit", hard_credit, "weight of the gradient that hard attention gets from its choices");
    field("hard-entropy", hard_entropy, "weight of the entropy of hard attention");
    field("soft-share", soft_share, "share of the sentences that train hard attention with soft attention");
    field("gumbel-steps", gumbel_steps, "updates over which the temperature of Gumbel noise falls from 1 to 0.5");
    field("input-feeding", input_feeding, "let the next step read the result of attention (context current)");
    field("bridge", bridge, "how the decoder's first state comes from the encoder");
    field("readout", readout, "what the output projection reads");
    field("source-vocabulary", V_source, "rows of the source embedding");
    field("target-vocabulary", V_target, "rows of the target embedding and of the output projection");
    field("tie", tie, "which of source embedding, target embedding and output projection share one matrix");
    field("embedding-dropout", P_embedding, "dropout of embeddings");
    field("layer-dropout", P_layers, "dropout between recurrent layers");
    field("context-dropout", P_context, "dropout of the encoder's states");
    field("output-dropout", P_output, "dropout before the output projection");
    field("initialisation", init, "rule for the initial weights");
    field("initial-state", initial_state, "the encoder's first state; noise is drawn in training only");
    field("noise", noise, "standard deviation of the noise in the encoder's first state");
    field("decoder-start", decoder_start, "the decoder's input before the first word");
  }

  template <class Visitor>
  void shorthands(Visitor&& field) {
    field("layers", FieldPair{N_enc, N_dec}, "layers of the encoder and of the decoder");
    field("vocabulary", FieldPair{V_source, V_target}, "rows of the embeddings of both sides");
  }

  int width() const { return H_dec; }
  // The width of the encoder's states, of both directions together.
  int d_h() const { return bidirectional ? 2 * H_enc : H_enc; }
  bool attends() const { return context != ContextName::kFixed; }
  bool is_align() const { return score == ScoreName::kAlign || score == ScoreName::kAlignScaled; }
  bool is_additive() const {
    return score == ScoreName::kAdditive || score == ScoreName::kAdditiveNormed || score == ScoreName::kConcat;
  }
  // The width of the keys that queries are compared with, and the width of the context.
  int key_width() const;
  int context_width() const { return attends() && is_align() && value_width > 0 ? int{value_width} : d_h(); }
  // Whether a step of the decoder needs the attention of this step or of the one before. If not, all steps of a layer
  // can be computed before the next layer, and attention for all of them at once.
  bool attends_in_loop() const { return attends() && (context != ContextName::kCurrent || input_feeding); }
  // Whether attention of all positions at once is one product, as in the Transformer.
  bool attends_by_products() const { return !is_additive() && mode == ModeName::kSoft; }

  // Throws a UsageError for invalid settings.
  void validate() const;
};

// ModelConfig calls these.
std::unique_ptr<Seq2Seq> make_model(const RecurrentConfig& config);
// Multiply-adds of one forward pass over a source sentence of n tokens and a target sentence of m tokens.
Checked multiply_adds(const RecurrentConfig& config, std::int64_t n, std::int64_t m);
// The main sizes in a few words, for people.
std::string describe(const RecurrentConfig& config);

}  // namespace dragoman::model::recurrent

namespace dragoman::model {
using recurrent::RecurrentConfig;
}  // namespace dragoman::model
