// Helpers for tests of models, decoding and training: a small Transformer with its memory, and a model whose logits a
// test prescribes.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "dragoman/backend/testing.h"
#include "dragoman/data/batch.h"
#include "dragoman/model/model_config.h"
#include "dragoman/model/transformer/transformer.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::model {

// Sizes that are not multiples of the width of a vector register, and no dropout.
inline TransformerConfig small_config() {
  TransformerConfig config;
  config.N_enc = config.N_dec = 2;
  config.d_model = 20;
  config.d_ff = 36;
  config.h = 2;
  config.V_source = config.V_target = 37;
  config.max_positions = 64;
  config.P_drop = 0;
  return config;
}

struct SmallOptions {
  int threads = 1;
  DType dtype = DType::kFloat32;
  std::uint64_t seed = 1;
  Device device = {};
  bool bf16_products = false, profile = false, dry = false;
};

// A model with its memory.
template <class Model, class Config>
struct SmallModelOf {
  explicit SmallModelOf(const Config& config, const SmallOptions& options = {})
      : on(make_backend(options.device, {.threads = options.threads,
                                         .bf16_products = options.bf16_products,
                                         .profile = options.profile,
                                         .dry = options.dry})),
        model(config),
        block(*on, options.dtype, model, params::Purpose::kTraining) {
    if (!options.dry) block.initialise(options.seed);
  }

  // Adds noise to every parameter and buffer, so that biases and normalisations have an effect.
  void add_noise() {
    std::uint64_t seed = 10;
    for (const params::NamedTensor& tensor : block.saved()) {
      const ArenaScope scratch(on->arena());
      const Array noise = make_array(*on, tensor.shape, DType::kFloat64, random_values(tensor.shape.count(), seed++));
      on->scaled(noise, 0.1, Sink::accumulate(tensor.values));
    }
    block.refresh();
  }
  Array parameter(const std::string& name) const {
    for (const params::NamedTensor& tensor : block.tensors()) {
      if (tensor.name == name) return tensor.values;
    }
    throw Error("no tensor " + name);
  }

  std::unique_ptr<Backend> on;
  Model model;
  params::ParameterBlock block;
};

struct SmallModel : SmallModelOf<Transformer, TransformerConfig> {
  explicit SmallModel(const TransformerConfig& config = small_config(), const SmallOptions& options = {})
      : SmallModelOf(config, options) {}
  explicit SmallModel(const ModelConfig& config, const SmallOptions& options = {})
      : SmallModelOf(config.as<TransformerConfig>(), options) {}
};

// Sentences of 1 to `longest` words, each ending in EOS.
inline std::vector<data::Sentence> random_sentences(int count, int longest, std::int64_t V, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<data::Sentence> sentences(count);
  for (data::Sentence& sentence : sentences) {
    for (std::uint32_t n = 1 + random.below(longest); n > 0; --n) {
      sentence.push_back(4 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(V - 4))));
    }
    sentence.push_back(kEos);
  }
  return sentences;
}

inline std::vector<data::SentencePair> random_pairs(int count, int longest, std::int64_t V, std::uint64_t seed) {
  const auto sources = random_sentences(count, longest, V, seed),
             targets = random_sentences(count, longest, V, seed + 1);
  std::vector<data::SentencePair> pairs;
  for (int i = 0; i < count; ++i) pairs.push_back({sources[i], targets[i]});
  return pairs;
}

// A model with prescribed logits: logits(sentence, position) returns V numbers, whatever the words are. Its states are
// the logits themselves, and its output projection is the unit matrix.
class ScriptedModel final : public Seq2Seq {
 public:
  using Logits = std::function<Doubles(int sentence, int position)>;

  ScriptedModel(Backend& on, std::int64_t V, Logits logits) : on_(on), V_(V), logits_(std::move(logits)) {
    Doubles unit(static_cast<std::size_t>(V * V), 0);
    for (std::int64_t v = 0; v < V; ++v) unit[v * V + v] = 1;
    unit_ = make_array(on, {V, V}, DType::kFloat64, unit);
  }

  Encoded encode(const Tokens& source, nn::Pass& pass) const override {
    return {Tensor(pass.on, pass.on.empty({source.segments.R, 1}, DType::kFloat64)), source.segments};
  }
  Tensor decode(const Tokens& target, const Encoded&, nn::Pass&) const override {
    const Doubles sentences = values_of(on_, target.segments.sentence.reshaped({1, target.segments.R}));
    const Doubles positions = values_of(on_, target.segments.position.reshaped({1, target.segments.R}));
    return states({sentences.begin(), sentences.end()}, {positions.begin(), positions.end()});
  }
  OutputProjection output() const override { return {Tensor(on_, unit_), {}}; }
  // The memory holds the number of each sentence. Sentences are numbered in the order in which they are stored.
  StateLayout state_layout() const override { return {.memory = {{"sentence", 1, DType::kFloat64}}}; }
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const override {
    const Doubles sentence = values_of(on_, encoded.segments.sentence.reshaped({1, encoded.segments.R}));
    Doubles numbers;
    for (const double number : sentence) numbers.push_back(number + stored_);
    on_.place_rows(make_array(on_, {encoded.segments.R, 1}, DType::kFloat64, numbers), rows, state.memory(0));
    stored_ += static_cast<double>(encoded.segments.B);
  }
  Tensor step(const StepRows& rows, const StateArrays& state, nn::Pass&) const override {
    const Doubles numbers = values_of(on_, state.memory(0));
    const Doubles first = values_of(on_, rows.memory.first.reshaped({1, rows.count()}));
    const Doubles lengths = values_of(on_, rows.lengths.reshaped({1, rows.count()}));
    std::vector<std::int32_t> sentences;
    for (const double row : first) {
      sentences.push_back(static_cast<std::int32_t>(numbers[static_cast<std::size_t>(row)]));
    }
    return states(sentences, {lengths.begin(), lengths.end()});
  }
  std::int64_t source_vocabulary() const override { return V_; }
  std::int64_t target_vocabulary() const override { return V_; }
  std::int32_t start_token() const override { return kBos; }
  void parameters(params::ParameterVisitor&) override {}

 private:
  Tensor states(const std::vector<std::int32_t>& sentences, const std::vector<std::int32_t>& positions) const {
    Doubles rows;
    for (std::size_t r = 0; r < sentences.size(); ++r) {
      const Doubles row = logits_(sentences[r], positions[r]);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return Tensor(on_, make_array(on_, {static_cast<std::int64_t>(sentences.size()), V_}, DType::kFloat64, rows));
  }

  Backend& on_;
  std::int64_t V_;
  Logits logits_;
  Array unit_;
  mutable double stored_ = 0;  // number of sentences that are stored so far
};

}  // namespace dragoman::model
