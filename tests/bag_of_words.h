// A small model, as an example of how to add an architecture: a bag of words with a decoder of one layer.
//
// The encoder gives each source word a key and a value and ignores the order of the words. The decoder embeds the
// previous word, attends over the source words with it, and adds the result:
//
//   x_i = sqrt(d) E_source[source word i],   k_i = x_i W_K,   v_i = x_i W_V
//   y = sqrt(d) E_target[previous word],     s = y + softmax(y W_Q K^T / sqrt(d)) V W_O
//   P(next word) = softmax(s E_target^T)
//
// Everything else follows from this file: flags and configuration files, training, checkpoints, search, traces, export,
// the server and its page.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dragoman/model/architecture.h"
#include "dragoman/model/checked.h"
#include "dragoman/model/limits.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/embed.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::model {

// 1. The settings. Each field is a flag of `train` and `inspect`, a key of configuration files and an entry of
// config.json.
struct BagConfig {
  static constexpr std::string_view kArch = "bag";

  int d_model = 64;
  int V_source = 1000;
  int V_target = 1000;
  static constexpr Tie tie = Tie::kDecoder;  // E_target is also the output projection

  template <class Visitor>
  void fields(Visitor&& field) {
    field("d-model", d_model, "width of the embeddings, keys and values");
    field("source-vocabulary", V_source, "rows of the source embedding");
    field("target-vocabulary", V_target, "rows of the target embedding and of the output projection");
  }
  template <class Visitor>
  void shorthands(Visitor&& field) {
    field("vocabulary", FieldPair{V_source, V_target}, "rows of the embeddings of both sides");
  }

  int width() const { return d_model; }
  void validate() const {
    require_between("d-model", d_model, 1, kMaxWidth);
    require_between("source-vocabulary", V_source, kMinVocabulary, kMaxVocabulary);
    require_between("target-vocabulary", V_target, kMinVocabulary, kMaxVocabulary);
  }
};

// 2. The model.
class BagOfWords : public Seq2Seq {
 public:
  explicit BagOfWords(const BagConfig& config)
      : config_(config), cross_({.d_model = d(), .h = 1, .d_k = d(), .d_v = d()}, 0, 0) {
    const nn::AttentionSizes& sizes = cross_.multi_head.sizes;
    W_KV_.W = params::Parameter(d(), {projection_weights(sizes, nn::Projection::kKeys, "cross."),
                                      projection_weights(sizes, nn::Projection::kValues, "cross.")});
    E_source_ = embedding(config.V_source);
    E_target_ = embedding(config.V_target);
  }

  // All tensors by name, for initialisation, saving, loading and the optimiser.
  void parameters(params::ParameterVisitor& visit) override {
    visit("E_source", E_source_);
    visit("E_target", E_target_);
    visit("cross.W_KV", W_KV_.W);
    visit.inside("cross", cross_);
  }

  // For whole sentences: in training, and to inspect a given translation.
  Encoded encode(const Tokens& source, nn::Pass& pass) const override {
    return {W_KV_(embed(source, E_source_, pass)), source.segments};
  }
  Tensor decode(const Tokens& target, const Encoded& encoded, nn::Pass& pass) const override {
    const Tensor y = embed(target, E_target_, pass);
    const Tensor K = columns(encoded.states, 0, d()), V = columns(encoded.states, d(), d());
    return ops::add(y, cross_(y, K, V, {target.segments, encoded.segments, {}}, pass));
  }
  OutputProjection output() const override { return {E_target_.tensor(), {}, E_target_.packed()}; }

  // Word by word, for searches. The state keeps keys and values of the source, and nothing for the words of a
  // hypothesis.
  StateLayout state_layout() const override { return {.memory = {{"KV", 2 * d(), W_KV_.W.dtype()}}, .cells = {}}; }
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const override {
    encoded.states.backend().place_rows(encoded.states.array(), rows, state.memory(0));
  }
  Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass& pass) const override {
    const Tensor y = embed(rows.tokens(), E_target_, pass);
    const Array K = state.memory(0).columns(0, d()), V = state.memory(0).columns(d(), d());
    return ops::add(y, cross_.step(y, K, V, rows.memory, pass));
  }

  std::int64_t source_vocabulary() const override { return config_.V_source; }
  std::int64_t target_vocabulary() const override { return config_.V_target; }
  std::int32_t start_token() const override { return kBos; }
  // Where it attends. Traces, alignments, head masks and the page use this list. `cross_` is layer 0 of site 0.
  nn::AttentionSites sites() const override {
    return {{.name = "cross",
             .queries = nn::Side::kTarget,
             .keys = nn::Side::kSource,
             .layers = 1,
             .heads = 1,
             .d_k = config_.d_model}};
  }
  // How the page draws it. Without this function it would draw a block for each site.
  BlockStacks blocks() const override {
    using enum BlockKind;
    const Block keys_and_values{.kind = kLinear, .title = "Keys and values"};
    const Block attention{.kind = kAttention, .site = "cross", .reads = "encoder"};
    return {{.name = "encoder", .input = {{.kind = kEmbedding}}, .output = {keys_and_values}},
            {.name = "decoder",
             .tokens = nn::Side::kTarget,
             .input = {{.kind = kEmbedding}},
             .layers = {{.blocks = {attention, {.kind = kAdd}}}},
             .output = {{.kind = kLinear}, {.kind = kSoftmax}}}};
  }

 private:
  std::int64_t d() const { return config_.d_model; }
  params::Parameter embedding(std::int64_t V) const {
    const params::Initial initial = params::Initial::normal(1 / std::sqrt(static_cast<double>(d())));
    return params::Parameter({V, d()}, initial).used_as(params::Use::kVocabulary);
  }
  Tensor embed(const Tokens& words, const params::Parameter& E, nn::Pass& pass) const {
    return nn::embed(pass.on, words, E, {}, std::sqrt(static_cast<double>(d())));
  }

  BagConfig config_;
  params::Parameter E_source_, E_target_;
  nn::Linear W_KV_;           // W_K and W_V side by side, for one matrix product
  nn::CrossAttention cross_;  // W_Q and W_O
};

inline std::unique_ptr<Seq2Seq> make_model(const BagConfig& config) {
  config.validate();
  return std::make_unique<BagOfWords>(config);
}

// 3. What is known about a model before it is made.
inline Checked multiply_adds(const BagConfig& config, std::int64_t n, std::int64_t m) {
  const Checked d = config.d_model, V = config.V_target;
  const Checked source = Checked(n) * d * d * 2, attention = Checked(m) * (d * d * 2 + Checked(n) * d * 2);
  return source + attention + Checked(m) * d * V;
}

inline std::string describe(const BagConfig& config) { return join("a bag of words of width ", config.d_model); }

// 4. The entry for the registry: presets, and small models whose gradients `gradcheck` compares with finite
// differences. The program's own architectures are listed in model/registry/registry.cpp.
inline Architecture bag_architecture() {
  return {.name = std::string(BagConfig::kArch),
          .summary = "a bag of words: no order in the source, one layer of attention",
          .presets = {{"bag-small", "a bag of words of width 64", BagConfig(), TrainingConfig()}},
          .gradient_models = {{"one layer", BagConfig{.d_model = 6, .V_source = 11, .V_target = 11}}}};
}

}  // namespace dragoman::model
