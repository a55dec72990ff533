// Attention with one head to the states of the encoder: a state of the decoder is compared with each of them, and their
// weighted mean is the context.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/nn/pass.h"
#include "dragoman/nn/recurrent.h"
#include "dragoman/ops/memory_attention.h"

namespace dragoman::nn {

// The score of a source token with the encoder's state h, for the decoder's state s. The values are h, except for
// align.
enum class KeyScore : std::uint8_t {
  kDot,             // s . h
  kScaled,          // s . h / sqrt(d_h)
  kGeneral,         // (s W_Q) . h
  kAdditive,        // v . tanh(s W_Q + h W_K + b)
  kAdditiveNormed,  // (g v / |v|) . tanh(s W_Q + h W_K + b)
  kConcat,          // v . tanh(s W_Q + h W_K)
  kAlign,           // (s W_Q) . (h W_K), with the values h W_V
  kAlignScaled,     // the same divided by sqrt(d_k)
};
constexpr bool is_additive(KeyScore score) {
  return score == KeyScore::kAdditive || score == KeyScore::kAdditiveNormed || score == KeyScore::kConcat;
}
// The score as text, in the symbols of the list above.
constexpr std::string_view formula(KeyScore score) {
  using enum KeyScore;
  switch (score) {
    case kDot: return "s · h";
    case kScaled: return "s · h / √d_h";
    case kGeneral: return "(s W_Q) · h";
    case kAdditive: return "v · tanh(s W_Q + h W_K + b)";
    case kAdditiveNormed: return "(g v / |v|) · tanh(s W_Q + h W_K + b)";
    case kConcat: return "v · tanh(s W_Q + h W_K)";
    case kAlign: return "(s W_Q) · (h W_K)";
    case kAlignScaled: return "(s W_Q) · (h W_K) / √d_k";
  }
  return "";
}
constexpr bool is_align(KeyScore score) { return score == KeyScore::kAlign || score == KeyScore::kAlignScaled; }

struct MemoryAttentionSizes {
  KeyScore score = KeyScore::kAdditive;
  std::int64_t H = 0;    // width of s
  std::int64_t d_h = 0;  // width of h
  std::int64_t d_k = 0;  // width of the keys; d_h for dot, scaled and general
  std::int64_t d_v = 0;  // width of the values; d_h except for align
  RecurrentInit init = RecurrentInit::kGlorot;
};

// Hard attention: the context is one of the values instead of their mean. Training draws it with the weights as
// probabilities, or with Gumbel noise; otherwise it is the value with the largest weight.
struct HardAttention {
  KeyChoice::Kind training = KeyChoice::Kind::kLargest;  // kLargest: attention is soft
  double soft_share = 0;                                 // share of the sentences that train with soft attention
  double entropy = 0;                                    // factor of the entropy of the weights, which training raises
  double gumbel_steps = 1;  // updates over which the temperature of the softmax with Gumbel noise falls from 1 to 0.5

  double temperature(std::uint32_t update) const { return 1 - 0.5 * std::min(1.0, update / gumbel_steps); }
  bool on() const { return training != KeyChoice::Kind::kLargest; }
};

// The keys and values of all source tokens, which are computed once for all steps.
struct Memory {
  Tensor K, V;
  Segments segments;
};

struct MemoryAttention {
  MemoryAttentionSizes sizes;
  HardAttention hard;
  int site = 0;     // index into the model's list of attention sites
  int layer = 0;    // counted from 0
  Linear W_Q;       // optional
  Linear W_K, W_V;  // optional
  Parameter v, g;   // optional

  MemoryAttention() = default;
  MemoryAttention(const MemoryAttentionSizes& sizes_, int site_, int layer_ = 0);

  Memory project(const Tensor& states, const Segments& segments) const;
  // How queries and keys are compared. Make it once for all steps.
  ops::KeyScores scores() const;

  // All queries s [R, H] of the batch at once. For soft attention with scores that are products.
  Tensor operator()(const Tensor& s, const Memory& memory, const Segments& queries, Pass& pass) const;
  // A decoding step: the context of each row, [rows, d_v].
  Tensor step(const Tensor& s, const Array& K, const Array& V, const MemoryRows& memory, Pass& pass) const;
  // The same with the kernel that the operator uses.
  Tensor step_as_whole(const Tensor& s, const Array& K, const Array& V, const MemoryRows& memory, Pass& pass) const;

  void parameters(ParameterVisitor& visit);

  Tensor query(const Tensor& s) const { return W_Q.W ? W_Q(s) : s; }
  // The attention as the model's list of sites has it.
  AttentionSite described(std::string name) const;
  // Sets the contexts of heads that are switched off to zero.
  void switch_off(const Array& context, std::int64_t first_row, const Pass& pass) const;
};

// Attention in the steps of a loop over the sentences of a batch, in the order of time.
class AttentionLoop {
 public:
  // `contexts` [R, d_v] receives the contexts of all steps, in the order of time; loop_rows() makes it. `states` says
  // where the states s are when the loop is over.
  AttentionLoop(const MemoryAttention& attention, const Memory& memory, const data::TimeRows& rows,
                const Tensor& contexts, const ops::StepInputs& states, Pass& pass);

  // The context of step t for the states s [counts[t], H].
  Tensor step(std::int64_t t, const Tensor& s);
  // After the last step: shows the observer what was computed.
  void finish(const Segments& queries);

  // For hard attention that draws its keys: [R], in the order of time, to be filled before backward with what REINFORCE
  // gives every choice; see HardCredit. Otherwise absent.
  const Array& credits() const { return credits_; }

 private:
  // Writes the context of step t. Returns the keys that hard attention has chosen for it; absent if it is soft.
  Array mix(std::int64_t t, const Tensor& weights, const MemoryRows& memory, const Tensor& context);

  const MemoryAttention& attention_;
  const Memory& memory_;
  const data::TimeRows& rows_;
  Pass& pass_;
  ops::KeyScores scores_;
  std::optional<StepLinear> W_Q_;
  Tensor contexts_;
  Array credits_;
  std::vector<Array> queries_, weights_;  // of each step, for the observer
};

}  // namespace dragoman::nn
