#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "dragoman/array/tokens.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/export/foreign_tensors.h"
#include "dragoman/model/export/formats.h"
#include "dragoman/model/foreign/ctranslate2_writer.h"
#include "dragoman/nn/positions.h"

namespace dragoman::model {
namespace {

using foreign::CTranslate2Variables;
using foreign::CTranslate2Weights;
using Positions = foreign::Network::Positions;

struct CTranslate2Exporter {
  const OurModel& model;
  const ExportTarget& target;
  const foreign::Network& network = model.network();
  ExportedWords words = exported_words(model);
  ForeignTensors tensors{model, {.network = network, .words = words}};

  void write() const {
    require<UsageError>(target.precision != ExportPrecision::kBFloat16,
                        "models for CTranslate2 can be written in fp32 or int8, but not in bf16.");
    const bool is_rounded = target.precision == ExportPrecision::kInt8;
    write_ctranslate2(target.directory / "model.bin", variables(),
                      is_rounded ? CTranslate2Weights::kInt8 : CTranslate2Weights::kFloat32);
    replace_file(target.directory / "config.json", config().dump(2) + "\n");
    write_words();
    write_tokenizer_files();
    warn_about_first_pieces();
  }

  CTranslate2Variables variables() const {
    CTranslate2Variables result;
    for (const auto& [name, shape] : tensors.shapes()) {
      result.variables[name] = foreign::FloatTensor{shape, [this, name = name] { return tensors.values(name); }};
    }
    add_settings(result);
    add_ties(result);
    add_positions(result);
    return result;
  }

  void add_settings(CTranslate2Variables& to) const {
    const float scale = network.scaled_embeddings ? std::sqrt(static_cast<float>(network.width)) : 1.0f;
    for (const std::string side : {"encoder", "decoder"}) {
      const int heads = side == "encoder" ? network.encoder_heads : network.decoder_heads;
      to.variables[side + "/num_heads"] = static_cast<std::int16_t>(heads);
      to.variables[side + "/pre_norm"] = static_cast<std::int8_t>(network.pre_norm);
      to.variables[side + "/activation"] = foreign::ctranslate2_activation(network.activation);
      to.variables[side + "/scale_embeddings"] = scale;
    }
    const bool starts_from_zero = network.start == DecoderStart::kZeroVector;
    to.variables["decoder/start_from_zero_embedding"] = static_cast<std::int8_t>(starts_from_zero);
  }

  // Of tensors that are the same, the first by name is stored, as by CTranslate2's own converters.
  static void add_ties(CTranslate2Variables& to) {
    const std::string source = "encoder/embeddings_0/weight", embedding = "decoder/embeddings/weight",
                      projection = "decoder/projection/weight";
    if (!to.variables.contains(embedding)) {
      auto shared = to.variables.extract(source);
      shared.key() = embedding;
      to.variables.insert(std::move(shared));
      to.aliases[source] = embedding;
    }
    if (!to.variables.contains(projection)) to.aliases[projection] = embedding;
  }

  // Without a table CTranslate2 computes the positions of tensor2tensor, the first of which is 1.
  void add_positions(CTranslate2Variables& to) const {
    const std::string encoder = "encoder/position_encodings/encodings",
                      decoder = "decoder/position_encodings/encodings";
    if (network.positions == Positions::kT2T && network.first_position == 1) return;
    if (network.positions == Positions::kTable) {
      to.variables[encoder] = learned_table("embed.P_source");
      to.variables[decoder] = learned_table("embed.P_target");
    } else {
      to.variables[decoder] = computed_table();
      to.aliases[encoder] = decoder;
    }
    const std::int64_t rows = network.positions == Positions::kTable ? learned_rows() : kTableRows;
    target.warnings.push_back(join("CTranslate2 cannot translate sentences of more than ", rows,
                                   " tokens with this model, because it has a table of positions."));
  }
  std::int64_t learned_rows() const { return network.table_rows - network.first_position; }
  foreign::FloatTensor learned_table(const std::string& name) const {
    return {{learned_rows(), network.width}, [this, name] {
              const std::vector<float> all = model.values(name);
              return std::vector<float>(all.end() - learned_rows() * network.width, all.end());
            }};
  }
  foreign::FloatTensor computed_table() const {
    return {{kTableRows, network.width}, [this] {
              const auto of = [&](nn::Sinusoids layout) {
                return nn::sinusoids(layout, kTableRows, network.width, network.first_position);
              };
              switch (network.positions) {
                case Positions::kPaper: return of(nn::Sinusoids::kPaper);
                case Positions::kHalf: return of(nn::Sinusoids::kHalves);
                case Positions::kT2T: return of(nn::Sinusoids::kT2T);
                case Positions::kNone:
                case Positions::kTable: break;
              }
              return std::vector<float>(static_cast<std::size_t>(kTableRows * network.width), 0.0f);
            }};
  }

  // With add_source_eos, CTranslate2 itself appends </s> to sources. It needs a token as the decoder's first input even
  // if the vector of that token is not used.
  Json config() const {
    const text::Tokenizer& tokenizer = model.tokenizers().target;
    const std::int32_t start = network.start == DecoderStart::kBos ? kBos : kEos;
    return {{"add_source_bos", false},
            {"add_source_eos", !model.tokenizers().source.with_end({}).empty()},
            {"bos_token", tokenizer.piece(kBos)},
            {"decoder_start_token", tokenizer.piece(start)},
            {"eos_token", tokenizer.piece(kEos)},
            {"layer_norm_epsilon", value_to_json(network.layer_norm_epsilon)},
            {"multi_query_attention", false},
            {"unk_token", tokenizer.piece(kUnk)}};
  }

  void write_words() const {
    const auto write = [&](const char* file, const std::vector<std::int32_t>& ids, const text::Tokenizer& tokenizer) {
      Json list = Json::array();
      for (const std::int32_t id : ids) list.push_back(tokenizer.piece(id));
      replace_file(target.directory / file, list.dump(2) + "\n");
    };
    if (network.tie == Tie::kThreeWay) return write("shared_vocabulary.json", words.target, model.tokenizers().target);
    write("source_vocabulary.json", words.source, model.tokenizers().source);
    write("target_vocabulary.json", words.target, model.tokenizers().target);
  }

  void write_tokenizer_files() const {
    const Tokenizers& tokenizers = model.tokenizers();
    if (model.info().joint_vocabulary) {
      return replace_file(target.directory / "sentencepiece.model", tokenizers.source.bytes());
    }
    replace_file(target.directory / "source.spm", tokenizers.source.bytes());
    replace_file(target.directory / "target.spm", tokenizers.target.bytes());
  }

  void warn_about_first_pieces() const {
    const auto warn = [&](const text::Tokenizer& tokenizer, std::string_view what) {
      if (!tokenizer.first()) return;
      target.warnings.push_back(join("CTranslate2 does not add the language by itself: ", what, " ",
                                     in_quotes(tokenizer.piece(*tokenizer.first())), "."));
    };
    warn(model.tokenizers().source, "begin every source with the token");
    warn(model.tokenizers().target, "give as the target_prefix of every sentence the token");
  }
};

}  // namespace

void write_ctranslate2_model(const OurModel& model, const ExportTarget& target) {
  CTranslate2Exporter{.model = model, .target = target}.write();
}

}  // namespace dragoman::model
