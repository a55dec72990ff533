#include "dragoman/model/transformer/foreign.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dragoman::model::transformer {
namespace {

using foreign::Channels;
using foreign::Origin;
using foreign::Parameter;
using foreign::Rows;

// A weight matrix with its bias in each layer. `torch` is its name in Transformers and fairseq, behind
// "encoder.layers.L." or "decoder.layers.L."; `ctranslate2` that behind "encoder/layer_L/" or "decoder/layer_L/", with
// the part of its rows.
struct Matrix {
  enum class Reads : std::uint8_t { kChannels, kInner };  // what it multiplies: the network's width, or an inner one
  const char *weight, *bias;
  const char* torch;
  const char* ctranslate2;
  Reads reads = Reads::kChannels;
  int part = 0, parts = 1;
  bool decoder_only = false;
};
using Reads = Matrix::Reads;
constexpr std::array kMatrices{
    Matrix{"self.W_Q", "self.b_Q", "self_attn.q_proj", "self_attention/linear_0", Reads::kChannels, 0, 3},
    Matrix{"self.W_K", "self.b_K", "self_attn.k_proj", "self_attention/linear_0", Reads::kChannels, 1, 3},
    Matrix{"self.W_V", "self.b_V", "self_attn.v_proj", "self_attention/linear_0", Reads::kChannels, 2, 3},
    Matrix{"self.W_O", "self.b_O", "self_attn.out_proj", "self_attention/linear_1", Reads::kInner},
    Matrix{"cross.W_Q", "cross.b_Q", "encoder_attn.q_proj", "attention/linear_0", Reads::kChannels, 0, 1, true},
    Matrix{"cross.W_K", "cross.b_K", "encoder_attn.k_proj", "attention/linear_1", Reads::kChannels, 0, 2, true},
    Matrix{"cross.W_V", "cross.b_V", "encoder_attn.v_proj", "attention/linear_1", Reads::kChannels, 1, 2, true},
    Matrix{"cross.W_O", "cross.b_O", "encoder_attn.out_proj", "attention/linear_2", Reads::kInner, 0, 1, true},
    Matrix{"ffn.W_1", "ffn.b_1", "fc1", "ffn/linear_0"},
    Matrix{"ffn.W_2", "ffn.b_2", "fc2", "ffn/linear_1", Reads::kInner},
};

// A LayerNorm in each layer, under its names in an encoder and in a decoder.
struct LayerNormName {
  const char *encoder, *decoder;  // null if there is none
  const char* torch;
  const char* ctranslate2;
};
constexpr std::array kLayerNorms{
    LayerNormName{"ln1", "ln1", "self_attn_layer_norm", "self_attention/layer_norm"},
    LayerNormName{nullptr, "ln2", "encoder_attn_layer_norm", "attention/layer_norm"},
    LayerNormName{"ln2", "ln3", "final_layer_norm", "ffn/layer_norm"},
};

// Tensors outside the layers. Several names are those of older files, or of matrices that are tied there.
struct Single {
  const char* name;
  Rows rows;
  std::array<const char*, 3> transformers, ctranslate2, fairseq;
};
constexpr std::array kSingles{
    Single{"embed.E",
           Rows::kSourceWords,
           {"model.shared.weight", "model.encoder.embed_tokens.weight", "lm_head.weight"},
           {"encoder/embeddings_0/weight", "encoder/embeddings/weight"},
           {"encoder.embed_tokens.weight"}},
    Single{"embed.E_source",
           Rows::kSourceWords,
           {"model.encoder.embed_tokens.weight", "model.shared.weight"},
           {"encoder/embeddings_0/weight", "encoder/embeddings/weight"},
           {"encoder.embed_tokens.weight"}},
    Single{"embed.E_target",
           Rows::kTargetWords,
           {"model.decoder.embed_tokens.weight", "model.shared.weight"},
           {"decoder/embeddings/weight"},
           {"decoder.embed_tokens.weight"}},
    Single{"embed.E_output",
           Rows::kTargetWords,
           {"lm_head.weight"},
           {"decoder/projection/weight"},
           {"decoder.output_projection.weight", "decoder.embed_out"}},
    Single{"embed.P_source", Rows::kOther, {}, {"encoder/position_encodings/encodings"}, {}},
    Single{"embed.P_target", Rows::kOther, {}, {"decoder/position_encodings/encodings"}, {}},
    Single{"output.b", Rows::kOutputBias, {"final_logits_bias"}, {"decoder/projection/bias"}, {}},
};

// Makes the list of parameters for one configuration and origin.
struct Lister {
  const TransformerConfig& config;
  Origin origin;
  std::vector<Parameter> parameters = {};

  void add_single(std::string_view name) {
    for (const Single& single : kSingles) {
      if (single.name != name) continue;
      const auto& names = origin == Origin::kTransformers  ? single.transformers
                          : origin == Origin::kCTranslate2 ? single.ctranslate2
                                                           : single.fairseq;
      const bool is_bias = single.rows == Rows::kOutputBias;
      Parameter parameter{.name = single.name,
                          .places = {},
                          .rows = single.rows,
                          .channels = is_bias ? Channels::kNone : Channels::kColumns};
      for (const char* tensor : names) {
        if (tensor != nullptr) parameter.places.push_back({.tensor = tensor});
      }
      parameters.push_back(std::move(parameter));
    }
  }
  // "model.encoder.layers.3." and the like, or "model.encoder." without a layer.
  std::string prefix(bool is_decoder, const std::string& layer = "") const {
    const std::string side = is_decoder ? "decoder" : "encoder";
    if (origin == Origin::kCTranslate2) return side + "/" + (layer.empty() ? "" : "layer_" + layer + "/");
    const std::string start = origin == Origin::kTransformers ? "model." : "";
    return start + side + "." + (layer.empty() ? "" : "layers." + layer + ".");
  }
  void add_matrix(const std::string& ours, const std::string& theirs, const Matrix& matrix) {
    const bool is_attention = std::string_view(matrix.ctranslate2).find("attention") != std::string_view::npos;
    for (const bool is_weight : {true, false}) {
      if (!is_weight && is_attention && !config.attention_bias) continue;
      Parameter parameter{
          .name = ours + (is_weight ? matrix.weight : matrix.bias), .places = {}, .is_transposed = is_weight};
      if (matrix.reads == Reads::kInner) {
        parameter.channels = Channels::kColumns;
      } else if (is_weight) {
        parameter.channels = Channels::kRows;
      }
      const std::string kind = is_weight ? "weight" : "bias";
      if (origin == Origin::kCTranslate2) {
        parameter.places.push_back({theirs + matrix.ctranslate2 + "/" + kind, matrix.part, matrix.parts});
      } else {
        parameter.places.push_back({.tensor = theirs + matrix.torch + "." + kind});
      }
      // Old files of fairseq hold three projections of an attention in one tensor.
      const std::string torch = matrix.torch;
      const std::size_t part = std::string_view("qkv").find(torch[torch.find('.') + 1]);
      if (origin == Origin::kFairseq && torch.ends_with("_proj") && part != std::string_view::npos) {
        parameter.places.push_back(
            {theirs + torch.substr(0, torch.find('.')) + ".in_proj_" + kind, static_cast<int>(part), 3});
      }
      parameters.push_back(std::move(parameter));
    }
  }
  // `theirs` has the name of a file of today first.
  void add_norm(const std::string& ours, const std::vector<std::string>& theirs) {
    const bool greek = origin == Origin::kCTranslate2;
    for (const bool is_gamma : {true, false}) {
      Parameter parameter{.name = ours + (is_gamma ? ".gamma" : ".beta"), .places = {}, .channels = Channels::kColumns};
      const std::string kind = is_gamma ? (greek ? "/gamma" : ".weight") : (greek ? "/beta" : ".bias");
      for (const std::string& name : theirs) parameter.places.push_back({.tensor = name + kind});
      parameters.push_back(std::move(parameter));
    }
  }
  void add_stack(bool is_decoder) {
    const std::string side = is_decoder ? "dec." : "enc.";
    for (int l = 0; l < (is_decoder ? config.N_dec : config.N_enc); ++l) {
      const std::string ours = side + std::to_string(l) + ".", theirs = prefix(is_decoder, std::to_string(l));
      for (const Matrix& matrix : kMatrices) {
        if (is_decoder || !matrix.decoder_only) add_matrix(ours, theirs, matrix);
      }
      for (const LayerNormName& norm : kLayerNorms) {
        const char* name = is_decoder ? norm.decoder : norm.encoder;
        if (name == nullptr) continue;
        std::vector<std::string> places{theirs + (origin == Origin::kCTranslate2 ? norm.ctranslate2 : norm.torch)};
        // Old files of fairseq count them from 0.
        if (origin == Origin::kFairseq) places.push_back(theirs + "layer_norms." + static_cast<char>(name[2] - 1));
        add_norm(ours + name, places);
      }
    }
    if (config.norm == Norm::kPre) add_norm(side + "ln", {prefix(is_decoder) + "layer_norm"});
  }
};

// Their settings and ours with the same meaning. Any table of positions can be held as a learned one.
using TheirPositions = foreign::Network::Positions;
constexpr std::array kPositions{
    std::pair{TheirPositions::kPaper, Positions::kSinusoid},
    std::pair{TheirPositions::kHalf, Positions::kSinusoidHalf},
    std::pair{TheirPositions::kT2T, Positions::kSinusoidT2T},
    std::pair{TheirPositions::kTable, Positions::kLearned},
    std::pair{TheirPositions::kNone, Positions::kNone},
};
using TheirActivation = foreign::Network::Activation;
constexpr std::array kActivations{
    std::pair{TheirActivation::kRelu, nn::HiddenActivation::kRelu},
    std::pair{TheirActivation::kSilu, nn::HiddenActivation::kSilu},
    std::pair{TheirActivation::kGelu, nn::HiddenActivation::kGelu},
    std::pair{TheirActivation::kGeluTanh, nn::HiddenActivation::kGeluTanh},
    std::pair{TheirActivation::kGeluSigmoid, nn::HiddenActivation::kGeluSigmoid},
};
template <class Pairs, class Theirs>
auto ours_of(const Pairs& pairs, Theirs theirs) {
  return std::ranges::find(pairs, theirs, &Pairs::value_type::first)->second;
}
template <class Pairs, class Ours>
auto theirs_of(const Pairs& pairs, Ours ours) {
  return std::ranges::find(pairs, ours, &Pairs::value_type::second)->first;
}

void refuse_what_they_lack(const TransformerConfig& config) {
  const auto require_usual = [](std::string_view key, const auto& value, const auto& usual) {
    require<Error>(value == usual, "the model cannot be exported for another program: its setting '", key, "' is ",
                   write_value(value), ", for which no other program has a place.");
  };
  require_usual("window", config.window, OptionalSize{});
  require_usual("norm-kind", config.norm_kind, NormKind::kLayer);
  require_usual("attention-score", config.attention_score, nn::AttentionScore::kScaled);
  for (const LayerSizes& sizes : {config.encoder_sizes(), config.decoder_sizes()}) {
    require_usual("d-k", sizes.d_k, config.d_model / sizes.h);
    require_usual("d-v", sizes.d_v, config.d_model / sizes.h);
  }
}

}  // namespace

TransformerConfig config_of(const foreign::Network& network) {
  TransformerConfig config;
  config.N_enc = network.encoder_layers;
  config.N_dec = network.decoder_layers;
  config.d_model = network.width;
  config.d_ff = network.encoder_inner;
  config.h = network.encoder_heads;
  if (network.decoder_inner != network.encoder_inner) config.d_ff_dec = network.decoder_inner;
  if (network.decoder_heads != network.encoder_heads) config.h_dec = network.decoder_heads;
  if (network.source_vocabulary > 0) config.V_source = network.source_vocabulary;
  if (network.target_vocabulary > 0) config.V_target = network.target_vocabulary;
  config.tie = network.tie;
  config.positions = ours_of(kPositions, network.positions);
  config.first_position = network.first_position;
  if (network.table_rows > 0) config.max_positions = network.table_rows;
  config.scale = network.scaled_embeddings ? EmbeddingScale::kSqrt : EmbeddingScale::kNone;
  config.activation = ours_of(kActivations, network.activation);
  config.norm = network.pre_norm ? Norm::kPre : Norm::kPost;
  config.attention_bias = network.attention_bias;
  config.output_bias = network.output_bias;
  config.ln_eps = network.layer_norm_epsilon;
  config.decoder_start = network.start;
  config.validate();
  return config;
}

foreign::Network network_of(const TransformerConfig& config) {
  refuse_what_they_lack(config);
  const LayerSizes encoder = config.encoder_sizes(), decoder = config.decoder_sizes();
  return {.width = config.d_model,
          .encoder_layers = config.N_enc,
          .decoder_layers = config.N_dec,
          .encoder_heads = encoder.h,
          .decoder_heads = decoder.h,
          .encoder_inner = encoder.d_ff,
          .decoder_inner = decoder.d_ff,
          .source_vocabulary = config.V_source,
          .target_vocabulary = config.V_target,
          .activation = theirs_of(kActivations, config.activation),
          .positions = theirs_of(kPositions, config.positions),
          .first_position = config.first_position,
          .table_rows = config.positions == Positions::kLearned ? config.max_positions : 0,
          .pre_norm = config.norm == Norm::kPre,
          .scaled_embeddings = config.scale == EmbeddingScale::kSqrt,
          .attention_bias = config.attention_bias,
          .output_bias = config.output_bias,
          .layer_norm_epsilon = config.ln_eps,
          .tie = config.tie,
          .start = config.decoder_start};
}

std::vector<foreign::Parameter> foreign_parameters(const TransformerConfig& config, foreign::Origin origin) {
  Lister list{.config = config, .origin = origin};
  if (config.tie == Tie::kThreeWay) {
    list.add_single("embed.E");
  } else {
    list.add_single("embed.E_source");
    list.add_single("embed.E_target");
    if (config.tie == Tie::kNone) list.add_single("embed.E_output");
  }
  if (config.positions == Positions::kLearned) {
    list.add_single("embed.P_source");
    list.add_single("embed.P_target");
  }
  list.add_stack(/*is_decoder=*/false);
  list.add_stack(/*is_decoder=*/true);
  if (config.output_bias) list.add_single("output.b");
  return std::move(list.parameters);
}

}  // namespace dragoman::model::transformer
