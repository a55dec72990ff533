// The settings of the Universal Transformer (Dehghani et al., 2019). Its one encoder layer and its one decoder layer
// are those of the Transformer, so it has the Transformer's settings and those of its recurrence in depth.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dragoman/model/transformer/config.h"

namespace dragoman::model::universal {

// The signal that tells the layer which step it is in. kSinusoid, as in the paper: the sinusoid of the step, as if it
// were a position. kLearned, as in tensor2tensor: a learned vector for each step, in a table for each stack.
enum class SignalName { kSinusoid, kLearned };
constexpr std::array<std::string_view, 2> names(SignalName) { return {"sinusoid", "learned"}; }

// kNone: every token takes all steps. kAct: adaptive computation time, where each token decides when to stop.
enum class HaltingName { kNone, kAct };
constexpr std::array<std::string_view, 2> names(HaltingName) { return {"none", "act"}; }

// What happens to the state of a token that has halted, which others still attend to. kTransform, as in tensor2tensor:
// the layer goes on transforming it. kCopy, as the paper's text says: it stays as it is.
enum class HaltedName { kTransform, kCopy };
constexpr std::array<std::string_view, 2> names(HaltedName) { return {"transform", "copy"}; }

// The output of a token from its states H^t and their weights w_t. kAccumulate: the sum of w_t H^t, whose weights add
// up to 1. kInterpolate, as in the paper's listing: O <- w_t H^t + (1 - w_t) O from zero, whose weights add up to less.
enum class OutputName { kAccumulate, kInterpolate };
constexpr std::array<std::string_view, 2> names(OutputName) { return {"accumulate", "interpolate"}; }

struct UniversalConfig : transformer::TransformerConfig {
  static constexpr std::string_view kArch = "universal";

  int T = 6;
  SignalName signal = SignalName::kSinusoid;
  HaltingName halting = HaltingName::kNone;
  HaltedName halted = HaltedName::kTransform;
  OutputName act_output = OutputName::kAccumulate;
  float ponder_cost = 0.01f;
  float threshold = 0.01f;
  float halting_bias = 1.0f;
  OptionalSize position_offset = 0;

  // One layer in each stack. Positions are added in every step, not to the embeddings.
  UniversalConfig() {
    N_enc = N_dec = 1;
    positions = transformer::Positions::kNone;
  }

  template <class Visitor>
  void fields(Visitor&& field) {
    field("depth-steps", T, "how many times each stack runs its layer; with halting act, at most");
    field("step-signal", signal, "what tells the layer its step: a sinusoid, or a learned vector for each step");
    field("halting", halting, "none: every token takes all steps; act: each token decides when to stop");
    field("halted", halted, "with act: whether the layer goes on transforming a token that stopped, or copies it");
    field("act-output", act_output, "with act: add up the states with their weights, or interpolate between them");
    field("ponder-cost", ponder_cost, "with act: factor of the mean number of steps in the loss");
    field("halting-threshold", threshold, "with act: a token stops when less than this is left of its weight 1");
    field("halting-bias", halting_bias,
          "with act: the initial bias of the halting probability; below 0 for many steps");
    field("position-offset", position_offset,
          "train with positions that start at random from 0 to N, so that longer sentences can be translated");
    // The settings of the layers, except for those that this model fixes. BatchNorm is not offered: it would mix the
    // statistics of all steps.
    constexpr std::array<std::string_view, 9> kFixed{"encoder-layers", "decoder-layers",     "positions",
                                                     "max-positions",  "first-position",     "target-space-table",
                                                     "norm-kind",      "batch-norm-padding", "batch-norm-epsilon"};
    TransformerConfig::fields([&](const char* name, auto&& value, const char* help) {
      if (std::ranges::find(kFixed, name) == kFixed.end()) field(name, value, help);
    });
  }

  template <class Visitor>
  void shorthands(Visitor&& field) {
    field("vocabulary", FieldPair{V_source, V_target}, "rows of the embeddings of both sides");
  }

  bool adaptive() const { return halting == HaltingName::kAct; }

  // Throws a UsageError for invalid settings.
  void validate() const;
};

// ModelConfig calls these.
std::unique_ptr<Seq2Seq> make_model(const UniversalConfig& config);
// Multiply-adds of one forward pass over a source sentence of n tokens and a target sentence of m tokens, if every
// token takes all steps.
Checked multiply_adds(const UniversalConfig& config, std::int64_t n, std::int64_t m);
// The main sizes in a few words, for people.
std::string describe(const UniversalConfig& config);

}  // namespace dragoman::model::universal

namespace dragoman::model {
using universal::UniversalConfig;
}  // namespace dragoman::model
