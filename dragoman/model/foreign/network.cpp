#include "dragoman/model/foreign/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"

namespace dragoman::model::foreign {
namespace {

using Activation = Network::Activation;

struct ActivationName {
  std::string_view name;
  Activation activation;
};
// Transformers and fairseq share these names. The first one of an activation is the usual one.
constexpr std::array<ActivationName, 7> kActivations{{{"relu", Activation::kRelu},
                                                      {"swish", Activation::kSilu},
                                                      {"silu", Activation::kSilu},
                                                      {"gelu", Activation::kGelu},
                                                      {"gelu_new", Activation::kGeluTanh},
                                                      {"gelu_accurate", Activation::kGeluTanh},
                                                      {"quick_gelu", Activation::kGeluSigmoid}}};
// By their numbers in CTranslate2.
constexpr std::array kActivationsByNumber{Activation::kRelu, Activation::kGeluTanh, Activation::kSilu,
                                          Activation::kGelu, Activation::kGeluSigmoid};

Activation activation_named(std::string_view name, std::string_view key, std::string_view where) {
  for (const ActivationName& known : kActivations) {
    if (known.name == name) return known.activation;
  }
  throw Error(join(where, ": '", key, "' is ", in_quotes(name), ", an activation that this program does not have."));
}

void require_even_heads(const Network& network, std::string_view where) {
  const auto fits = [&](int heads) { return heads > 0 && network.width % heads == 0; };
  require<Error>(network.width > 0 && fits(network.encoder_heads) && fits(network.decoder_heads), where,
                 ": the width of ", network.width, " is not a multiple of the number of heads.");
}

// The keys that MarianMT and M2M100 share.
struct TransformersConfig {
  Json json;
  std::string_view where;

  TransformersConfig(std::string_view text, std::string_view kind, std::string_view where_)
      : json(parse_json(text, where_)), where(where_) {
    const auto type = json_entry<std::string>(json, "model_type", where);
    require<Error>(type == kind, where, ": 'model_type' is ", in_quotes(type), ", but '", kind, "' is expected.");
    for (const char* key : {"normalize_embedding", "add_final_layer_norm", "normalize_before"}) {
      require<Error>(!flag(key, false), where, ": '", key, "' is set, which this program does not have.");
    }
  }

  bool flag(const std::string& key, bool otherwise) const {
    return json.contains(key) && !json[key].is_null() ? json_entry<bool>(json, key, where) : otherwise;
  }
  int size(const std::string& key) const {
    const int value = json_entry<int>(json, key, where);
    require<Error>(value > 0, where, ": '", key, "' is ", value, ", but must be positive.");
    return value;
  }
  Network network() const {
    const auto activation = json_entry<std::string>(json, "activation_function", where);
    Network network{.width = size("d_model"),
                    .encoder_layers = size("encoder_layers"),
                    .decoder_layers = size("decoder_layers"),
                    .encoder_heads = size("encoder_attention_heads"),
                    .decoder_heads = size("decoder_attention_heads"),
                    .encoder_inner = size("encoder_ffn_dim"),
                    .decoder_inner = size("decoder_ffn_dim"),
                    .source_vocabulary = size("vocab_size"),
                    .target_vocabulary = size("vocab_size"),
                    .activation = activation_named(activation, "activation_function", where)};
    require_even_heads(network, where);
    return network;
  }
};

// The kinds of models in CTranslate2 that are encoders with decoders. Version 1 has no name.
constexpr std::array<std::string_view, 4> kCTranslate2Specs{"", "TransformerSpec", "TransformerBase", "TransformerBig"};

// The settings of CTranslate2's network, which are variables of one number. The encoder and the decoder have their own,
// except in revisions before 5.
struct CTranslate2Network {
  const CTranslate2File& file;
  std::string_view where;

  std::optional<float> number(const std::string& side, const std::string& name) const {
    const auto own = file.number(side + "/" + name);
    return own ? own : file.number(name);
  }
  int heads(const std::string& side) const {
    if (const auto stored = number(side, "num_heads")) {
      require<Error>(*stored >= 1 && *stored <= 1000, where, ": 'num_heads' is ", *stored, ".");
      return static_cast<int>(*stored);
    }
    return file.spec == "TransformerBig" ? 16 : 8;
  }
  int layers(const std::string& side) const {
    int count = 0;
    while (file.variables.contains(join(side, "/layer_", count, "/self_attention/linear_0/weight"))) ++count;
    require<Error>(count > 0, where, " has no layers of the ", side, ".");
    return count;
  }
  const Tensor& matrix(const std::string& name) const {
    const Tensor& found = tensor_named(file.variables, name, where);
    require<Error>(found.shape.size() == 2, where, ": the variable ", in_quotes(name), " is not a matrix.");
    return found;
  }
  const Tensor& source_embedding() const {
    const std::string name = "encoder/embeddings_0/weight";
    return matrix(file.variables.contains(name) ? name : "encoder/embeddings/weight");
  }
  // The embeddings are multiplied by a flag's meaning, the square root of the width or 1, or by a factor.
  bool scaled(int width) const {
    const auto stored = number("encoder", "scale_embeddings");
    if (!stored) return file.number("embeddings/multiply_by_sqrt_depth").value_or(1) != 0;
    require<Error>(number("decoder", "scale_embeddings") == stored, where,
                   ": 'scale_embeddings' is not the same in the encoder and the decoder.");
    const bool is_root = std::abs(*stored - std::sqrt(static_cast<float>(width))) < 1e-3f;
    require<Error>(*stored == 0 || *stored == 1 || is_root, where, ": 'scale_embeddings' is ", *stored,
                   ", which this program does not have.");
    const auto own = file.variables.find("encoder/scale_embeddings");
    const bool is_factor = own != file.variables.end() && own->second.element == Element::kF32;
    return is_root || (*stored == 1 && !is_factor);
  }
  Activation activation() const {
    const float code = number("encoder", "activation").value_or(0);
    const float of_decoder = number("decoder", "activation").value_or(0);
    require<Error>(code >= 0 && code < static_cast<float>(kActivationsByNumber.size()) && code == of_decoder, where,
                   ": 'activation' is ", code, " in the encoder and ", of_decoder,
                   " in the decoder, which this program does not have.");
    return kActivationsByNumber[static_cast<std::size_t>(code)];
  }
  DecoderStart start(const CTranslate2Config& config) const {
    if (file.number("decoder/start_from_zero_embedding").value_or(0) != 0) return DecoderStart::kZeroVector;
    require<Error>(config.decoder_start == config.begin || config.decoder_start == config.end, where,
                   ": 'decoder_start_token' is neither the token of the beginning nor that of the end.");
    return config.decoder_start == config.end ? DecoderStart::kEos : DecoderStart::kBos;
  }
  // Tensors are tied if they are the same bytes of the file.
  Tie tie() const {
    const auto place = [&](const std::string& name) { return matrix(name).begin; };
    if (place("decoder/projection/weight") != place("decoder/embeddings/weight")) return Tie::kNone;
    return source_embedding().begin == place("decoder/embeddings/weight") ? Tie::kThreeWay : Tie::kDecoder;
  }
  void refuse_what_is_missing_here() const {
    const bool is_known = std::ranges::find(kCTranslate2Specs, file.spec) != kCTranslate2Specs.end();
    require<Error>(is_known, where, " is a model of the kind ", in_quotes(file.spec),
                   ", which this program does not have.");
    constexpr std::array<std::string_view, 9> kMissing{
        "layernorm_embedding/gamma", "linear_0_noact/weight",   "relative_position_keys",
        "relative_position_values",  "relative_attention_bias", "project_in/weight",
        "project_out/weight",        "embeddings_1/weight",     "scale_outputs"};
    for (const auto& [name, tensor] : file.variables) {
      for (const std::string_view part : kMissing) {
        require<Error>(!name.ends_with(part), where, " has the variable ", in_quotes(name),
                       ", for which this program has no place.");
      }
    }
    for (const char* side : {"encoder", "decoder"}) {
      for (const char* name : {"multi_query_attention", "alibi", "rotary_dim"}) {
        require<Error>(number(side, name).value_or(0) == 0, where, ": '", name,
                       "' is set, which this program does not have.");
      }
    }
  }
};

// The settings of a training run of fairseq: attributes of an object, or a dictionary.
struct FairseqSettings {
  const Pickle& pickle;
  const Pickle::Value& settings;
  std::string_view where;

  int size(std::string_view key) const {
    const Pickle::Value* value = pickle.find(settings, key);
    require<Error>(
        value != nullptr && value->kind == Pickle::Kind::kInteger && value->integer > 0 && value->integer < 1 << 30,
        where, ": '", key, "' is missing or not a positive number.");
    return static_cast<int>(value->integer);
  }
  bool flag(std::string_view key) const {
    const Pickle::Value* value = pickle.find(settings, key);
    return value != nullptr && value->kind == Pickle::Kind::kBool && value->integer != 0;
  }
  std::string text(std::string_view key, std::string_view otherwise) const {
    const Pickle::Value* value = pickle.find(settings, key);
    return std::string(value != nullptr && value->kind == Pickle::Kind::kText ? value->text : otherwise);
  }
  void refuse_what_is_missing_here() const {
    for (const char* key :
         {"encoder_learned_pos", "decoder_learned_pos", "layernorm_embedding", "no_token_positional_embeddings",
          "adaptive_input", "no_cross_attention", "cross_self_attention", "no_decoder_final_norm"}) {
      require<Error>(!flag(key), where, ": '", key, "' is set, which this program does not have.");
    }
    for (const char* key : {"adaptive_softmax_cutoff", "encoder_layers_to_keep", "decoder_layers_to_keep"}) {
      const Pickle::Value* value = pickle.find(settings, key);
      const bool is_set = value != nullptr && value->kind != Pickle::Kind::kNone &&
                          (value->kind != Pickle::Kind::kText || !value->text.empty());
      require<Error>(!is_set, where, ": '", key, "' is set, which this program does not have.");
    }
    // The architecture itself, or a variant of it with other sizes, such as transformer_wmt_en_de.
    const std::string architecture = text("arch", ""), task = text("task", "translation");
    require<Error>(architecture.empty() || (architecture + "_").starts_with("transformer_"), where, ": 'arch' is ",
                   in_quotes(architecture), ", but only Transformers can be imported.");
    require<Error>(task == "translation", where, ": 'task' is ", in_quotes(task),
                   ", but only 'translation' can be imported.");
    require<Error>(flag("encoder_normalize_before") == flag("decoder_normalize_before"), where,
                   ": 'encoder_normalize_before' and 'decoder_normalize_before' differ, which this program does not "
                   "have.");
    require<Error>(size("encoder_embed_dim") == size("decoder_embed_dim"), where,
                   ": 'encoder_embed_dim' and 'decoder_embed_dim' differ, which this program does not have.");
  }
};

const Pickle::Value& fairseq_settings(const Pickle& checkpoint, std::string_view where) {
  const Pickle::Value* config = checkpoint.find(checkpoint.root(), "cfg");
  if (config != nullptr) config = checkpoint.find(*config, "model");
  // Versions before 0.10 have 'args', later ones 'cfg'; the other is None.
  if (config == nullptr || config->kind == Pickle::Kind::kNone) config = checkpoint.find(checkpoint.root(), "args");
  require<Error>(config != nullptr && config->kind != Pickle::Kind::kNone, where,
                 " is not a checkpoint of fairseq: it has neither 'cfg' nor 'args'.");
  return *config;
}

}  // namespace

Network marian_network(std::string_view config_json, std::string_view where) {
  const TransformersConfig config(config_json, "marian", where);
  Network network = config.network();
  if (config.json.contains("decoder_vocab_size") && !config.json["decoder_vocab_size"].is_null()) {
    network.target_vocabulary = config.size("decoder_vocab_size");
  }
  network.positions = Network::Positions::kHalf;
  network.scaled_embeddings = config.flag("scale_embedding", false);
  network.output_bias = true;
  const bool shared = config.flag("share_encoder_decoder_embeddings", true);
  const bool tied = config.flag("tie_word_embeddings", true);
  network.tie = !tied ? Tie::kNone : shared ? Tie::kThreeWay : Tie::kDecoder;
  network.start = DecoderStart::kZeroVector;
  return network;
}

Network m2m100_network(std::string_view config_json, std::string_view where) {
  const TransformersConfig config(config_json, "m2m_100", where);
  Network network = config.network();
  network.first_position = 2;
  network.pre_norm = true;
  network.scaled_embeddings = config.flag("scale_embedding", true);
  return network;
}

Network ctranslate2_network(const CTranslate2File& file, const CTranslate2Config& config, std::string_view where) {
  const CTranslate2Network read{file, where};
  read.refuse_what_is_missing_here();
  const Tensor& source = read.source_embedding();
  const Tensor& target = read.matrix("decoder/embeddings/weight");
  const auto size = [](std::int64_t number) { return static_cast<int>(number); };
  Network network{.width = size(source.shape[1]),
                  .encoder_layers = read.layers("encoder"),
                  .decoder_layers = read.layers("decoder"),
                  .encoder_heads = read.heads("encoder"),
                  .decoder_heads = read.heads("decoder"),
                  .encoder_inner = size(read.matrix("encoder/layer_0/ffn/linear_0/weight").shape[0]),
                  .decoder_inner = size(read.matrix("decoder/layer_0/ffn/linear_0/weight").shape[0]),
                  .source_vocabulary = size(source.shape[0]),
                  .target_vocabulary = size(target.shape[0]),
                  .activation = read.activation()};
  require_even_heads(network, where);
  if (file.variables.contains("encoder/position_encodings/encodings")) {
    const auto& shape = read.matrix("encoder/position_encodings/encodings").shape;
    require<Error>(shape == read.matrix("decoder/position_encodings/encodings").shape && shape[1] == network.width,
                   where, " has tables of positions that do not fit the network.");
    network.positions = Network::Positions::kTable;
    network.table_rows = size(shape[0]);
  } else {
    network.first_position = 1;
  }
  const float pre_norm = read.number("encoder", "pre_norm").value_or(1);
  require<Error>(pre_norm == read.number("decoder", "pre_norm").value_or(1), where,
                 ": 'pre_norm' is not the same in the encoder and the decoder.");
  network.pre_norm = pre_norm != 0;
  network.scaled_embeddings = read.scaled(network.width);
  network.attention_bias = file.variables.contains("encoder/layer_0/self_attention/linear_0/bias");
  network.output_bias = file.variables.contains("decoder/projection/bias");
  network.layer_norm_epsilon = config.layer_norm_epsilon;
  network.tie = read.tie();
  network.start = read.start(config);
  return network;
}

std::int8_t ctranslate2_activation(Activation activation) {
  return static_cast<std::int8_t>(std::ranges::find(kActivationsByNumber, activation) - kActivationsByNumber.begin());
}

std::string_view transformers_activation(Activation activation) {
  return std::ranges::find(kActivations, activation, &ActivationName::activation)->name;
}

std::string fairseq_setting(const Pickle& checkpoint, std::string_view key, std::string_view where) {
  const FairseqSettings of_model{checkpoint, fairseq_settings(checkpoint, where), where};
  const std::string found = of_model.text(key, "");
  const Pickle::Value* config = checkpoint.find(checkpoint.root(), "cfg");
  const Pickle::Value* task = config != nullptr ? checkpoint.find(*config, "task") : nullptr;
  return !found.empty() || task == nullptr ? found : FairseqSettings{checkpoint, *task, where}.text(key, "");
}

Network fairseq_network(const Pickle& checkpoint, std::string_view where) {
  const FairseqSettings read{checkpoint, fairseq_settings(checkpoint, where), where};
  read.refuse_what_is_missing_here();
  Network network{.width = read.size("encoder_embed_dim"),
                  .encoder_layers = read.size("encoder_layers"),
                  .decoder_layers = read.size("decoder_layers"),
                  .encoder_heads = read.size("encoder_attention_heads"),
                  .decoder_heads = read.size("decoder_attention_heads"),
                  .encoder_inner = read.size("encoder_ffn_embed_dim"),
                  .decoder_inner = read.size("decoder_ffn_embed_dim"),
                  .activation = activation_named(read.text("activation_fn", "relu"), "activation_fn", where)};
  require_even_heads(network, where);
  network.first_position = 2;
  network.pre_norm = read.flag("encoder_normalize_before");
  network.scaled_embeddings = !read.flag("no_scale_embedding");
  network.tie = read.flag("share_all_embeddings")               ? Tie::kThreeWay
                : read.flag("share_decoder_input_output_embed") ? Tie::kDecoder
                                                                : Tie::kNone;
  return network;
}

}  // namespace dragoman::model::foreign
