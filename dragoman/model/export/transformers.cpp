#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "dragoman/array/tokens.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/export/foreign_tensors.h"
#include "dragoman/model/export/formats.h"

namespace dragoman::model {
namespace {

using Positions = foreign::Network::Positions;

constexpr float kTheirEpsilon = 1e-5f;  // of LayerNorm; MarianMT has no setting for it
constexpr int kTheirBeam = 4;

// What MarianMT lacks: the settings have their names in our config.json.
void refuse_what_marian_lacks(const OurModel& model) {
  const foreign::Network& network = model.network();
  const auto require_setting = [](bool fits, std::string_view what) {
    require<Error>(fits, "the model cannot be exported for Transformers, whose MarianMT has ", what, ".");
  };
  require_setting(!network.pre_norm, "LayerNorm after each sub-layer only, but 'norm' is pre");
  require_setting(network.positions == Positions::kPaper || network.positions == Positions::kHalf,
                  "the paper's positions only, but 'positions' is neither sinusoid nor sinusoid-half");
  require_setting(network.first_position == 0, "positions that count from 0, but 'first-position' is not 0");
  require_setting(!model.tokenizers().source.with_end({}).empty(),
                  "sources that end with a token, but those of this model do not");
}

// Our channels in the order of Transformers, which has all sines before all cosines. The paper alternates them.
std::vector<std::size_t> channels_of(const foreign::Network& network) {
  if (network.positions == Positions::kHalf) return {};
  std::vector<std::size_t> channels;
  const auto width = static_cast<std::size_t>(network.width);
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    for (std::size_t channel = first; channel < width; channel += 2) channels.push_back(channel);
  }
  return channels;
}

// MarianMT needs <pad>; models that it is absent from get it as their last word.
ExportedWords words_with_pad(const OurModel& model) {
  ExportedWords words = exported_words(model);
  for (std::vector<std::int32_t>* side : {&words.source, &words.target}) {
    if (side->front() != kPad) side->push_back(kPad);
  }
  return words;
}

// All attention projections and the output projection have biases there.
foreign::Network their_network(foreign::Network network) {
  network.attention_bias = network.output_bias = true;
  return network;
}

struct TransformersExporter {
  const OurModel& model;
  const ExportTarget& target;
  const foreign::Network& network = model.network();
  ExportedWords words = words_with_pad(model);

  void write() const {
    require<UsageError>(target.precision == ExportPrecision::kFloat32,
                        "models for Transformers are written in fp32; it rounds them itself when it loads them.");
    require_zero_start();
    write_weights();
    write_json("config.json", config());
    write_json("generation_config.json", generation());
    write_words();
    warn();
  }

  void write_json(const char* file, const Json& json) const {
    replace_file(target.directory / file, json.dump(2) + "\n");
  }
  // The id of one of our words in the target vocabulary there; nothing if it is left out.
  std::optional<std::int64_t> id_of(std::int32_t ours) const {
    const auto found = std::ranges::find(words.target, ours);
    return found == words.target.end() ? std::nullopt : std::optional(found - words.target.begin());
  }
  std::int64_t start() const {
    switch (network.start) {
      case DecoderStart::kBos: return *id_of(kBos);
      case DecoderStart::kEos: return *id_of(kEos);
      case DecoderStart::kZeroVector: break;
    }
    return *id_of(kPad);
  }

  // Translations of MarianMT begin with a word, so that a zero vector has to be the row of one.
  void require_zero_start() const {
    if (network.start != DecoderStart::kZeroVector) return;
    const std::vector<float> E = model.values(network.tie == Tie::kThreeWay ? "embed.E" : "embed.E_target");
    require<Error>(std::all_of(E.begin(), E.begin() + network.width, [](float value) { return value == 0; }),
                   "the model cannot be exported for Transformers: its translations begin with a zero vector, but the "
                   "row of <pad>, with which MarianMT begins, is not zero.");
  }

  void write_weights() const {
    const ForeignTensors tensors(model, {.origin = foreign::Origin::kTransformers,
                                         .network = their_network(network),
                                         .words = words,
                                         .channels = channels_of(network)});
    std::vector<TensorLabel> labels;
    for (const auto& [name, shape] : tensors.shapes()) {
      labels.push_back({.name = name, .shape = shape});
      if (name == "final_logits_bias") labels.back().shape.insert(labels.back().shape.begin(), 1);
    }
    SafetensorsWriter file(target.directory / "model.safetensors", labels, {{"format", "pt"}});
    for (const TensorLabel& label : labels) file.write(tensors.values(label.name));
    file.finish();
  }

  Json config() const {
    return {{"architectures", {"MarianMTModel"}},
            {"model_type", "marian"},
            {"vocab_size", words.source.size()},
            {"decoder_vocab_size", words.target.size()},
            {"d_model", network.width},
            {"encoder_layers", network.encoder_layers},
            {"decoder_layers", network.decoder_layers},
            {"encoder_attention_heads", network.encoder_heads},
            {"decoder_attention_heads", network.decoder_heads},
            {"encoder_ffn_dim", network.encoder_inner},
            {"decoder_ffn_dim", network.decoder_inner},
            {"activation_function", foreign::transformers_activation(network.activation)},
            {"scale_embedding", network.scaled_embeddings},
            {"max_position_embeddings", kTableRows},
            {"share_encoder_decoder_embeddings", network.tie == Tie::kThreeWay},
            {"tie_word_embeddings", network.tie != Tie::kNone},
            {"is_encoder_decoder", true},
            {"pad_token_id", *id_of(kPad)},
            {"eos_token_id", *id_of(kEos)},
            {"forced_eos_token_id", *id_of(kEos)},
            {"decoder_start_token_id", start()}};
  }

  // <pad> and <s> are never chosen, but keep their share of the probability unless they are absent.
  Json generation() const {
    Json barred = Json::array();
    for (const std::int32_t word : {kPad, kBos}) {
      if (const auto id = id_of(word)) barred.push_back({*id});
    }
    Json generation{{"num_beams", kTheirBeam},          {"max_length", kTableRows / 2},
                    {"bad_words_ids", barred},          {"pad_token_id", *id_of(kPad)},
                    {"eos_token_id", *id_of(kEos)},     {"forced_eos_token_id", *id_of(kEos)},
                    {"decoder_start_token_id", start()}};
    if (const auto first = model.tokenizers().target.first()) generation["forced_bos_token_id"] = *id_of(*first);
    return generation;
  }

  void write_words() const {
    const auto write = [&](const char* file, const std::vector<std::int32_t>& ids, const text::Tokenizer& tokenizer) {
      Json vocabulary = Json::object();
      for (std::size_t id = 0; id < ids.size(); ++id) vocabulary[tokenizer.piece(ids[id])] = id;
      write_json(file, vocabulary);
    };
    const auto& [from, to] = model.tokenizers();
    const bool are_separate = network.tie != Tie::kThreeWay;
    write("vocab.json", words.source, from);
    if (are_separate) write("target_vocab.json", words.target, to);
    replace_file(target.directory / "source.spm", from.bytes());
    replace_file(target.directory / "target.spm", to.bytes());
    write_json("tokenizer_config.json", {{"tokenizer_class", "MarianTokenizer"},
                                         {"source_lang", model.info().source_language},
                                         {"target_lang", model.info().target_language},
                                         {"separate_vocabs", are_separate},
                                         {"eos_token", to.piece(kEos)},
                                         {"unk_token", to.piece(kUnk)},
                                         {"pad_token", to.piece(kPad)}});
  }

  void warn() const {
    target.warnings.push_back(join("Transformers cannot translate sentences of more than ", kTableRows,
                                   " tokens with this model, because it has a table of positions."));
    if (network.layer_norm_epsilon != kTheirEpsilon) {
      target.warnings.push_back(join("probabilities differ a little there: LayerNorm adds ", write_value(kTheirEpsilon),
                                     " to the variance, and here ", write_value(network.layer_norm_epsilon),
                                     " ('layer-norm-epsilon')."));
    }
    if (const auto first = model.tokenizers().source.first()) {
      target.warnings.push_back(join("Transformers does not add the language by itself: begin every source with ",
                                     in_quotes(model.tokenizers().source.piece(*first)), "."));
    }
  }
};

}  // namespace

void write_transformers_model(const OurModel& model, const ExportTarget& target) {
  refuse_what_marian_lacks(model);
  TransformersExporter{.model = model, .target = target}.write();
}

}  // namespace dragoman::model
