#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "dragoman/base/fields_json.h"
#include "dragoman/model/import/foreign_model.h"
#include "dragoman/model/import/language_codes.h"
#include "dragoman/model/import/transformers.h"

namespace dragoman::model {
namespace {

using foreign::Dictionary;

constexpr const char *kPadToken = "<pad>", *kBeginToken = "<s>", *kEndToken = "</s>";
constexpr const char *kSourcePieces = "source.spm", *kTargetPieces = "target.spm";

// The part of a directory's name "opus-mt-SRC-TGT" that stands for a language; empty if it has another name.
std::string language_in_name(const std::filesystem::path& directory, std::size_t part) {
  constexpr std::string_view kStart = "opus-mt-";
  const std::string name = std::filesystem::absolute(directory).lexically_normal().filename().string();
  const std::size_t start = name.find(kStart);
  if (start == std::string::npos) return "";
  const std::string pair = name.substr(start + kStart.size());
  const std::size_t dash = pair.find('-');
  if (dash == std::string::npos || pair.find('-', dash + 1) != std::string::npos) return "";
  return part == 0 ? pair.substr(0, dash) : pair.substr(dash + 1);
}

struct MarianReader {
  const Package& package;
  const ImportLanguages& languages;
  text::VocabularyLimits limits = {};

  ForeignModel read() {
    ForeignModel model{.kind = "a MarianMT model of Transformers"};
    model.network = foreign::marian_network(package.text("config.json"), package.where("config.json"));
    open_transformers_weights(package, model);
    limits = text::VocabularyLimits::of_weights(model.weight_bytes);
    const Dictionary source = dictionary("vocab.json");
    const bool is_separate = package.has("target_vocab.json");
    const Dictionary target = is_separate ? dictionary("target_vocab.json") : source;
    model.network.start = start_of(model, target);
    read_words(model, source, target, is_separate);
    model.languages = {.source = language("source_lang", languages.source, 0),
                       .target = language("target_lang", languages.target, 1)};
    begin_with_language_code(model, languages, package.where());
    model.search = transformers_search(package);
    return model;
  }

  Dictionary dictionary(const std::string& file) const {
    return foreign::parse_vocab_json(package.words(file, limits), package.where(file));
  }

  // In published models the decoder begins with the row of <pad>, which is zero. Ours begins with a zero vector then.
  DecoderStart start_of(const ForeignModel& model, const Dictionary& words) const {
    const std::string where = package.where("config.json");
    const Json config = parse_json(package.text("config.json"), where);
    const auto start = json_entry<std::int32_t>(config, "decoder_start_token_id", where);
    if (start == words.id(kBeginToken)) return DecoderStart::kBos;
    if (start == words.id(kEndToken)) return DecoderStart::kEos;
    require<Error>(start == words.id(kPadToken), where, ": 'decoder_start_token_id' is not the id of ", kPadToken, ", ",
                   kBeginToken, " or ", kEndToken, ", which this program does not have.");
    require_zero_row(model, start);
    return DecoderStart::kZeroVector;
  }

  void require_zero_row(const ForeignModel& model, std::int32_t pad) const {
    const char* name =
        model.network.tie == Tie::kThreeWay ? "model.shared.weight" : "model.decoder.embed_tokens.weight";
    const auto found = model.tensors.find(name);
    if (found == model.tensors.end() || found->second.shape.empty()) return;  // import_model() reports it
    const auto rows = static_cast<int>(found->second.shape[0]);
    require<Error>(pad < rows, model.weights, ": the tensor '", name, "' has no row for ", kPadToken, ".");
    const auto row = foreign::floats_of(foreign::part_of_rows(found->second, pad, rows, model.weights));
    require<Error>(std::ranges::all_of(row, [](float value) { return value == 0; }), model.weights, ": the row of ",
                   kPadToken, " in '", name, "' is not zero, but translations begin with it.");
  }

  void read_words(ForeignModel& model, const Dictionary& source, const Dictionary& target, bool is_separate) const {
    const std::string source_bytes = package.words(kSourcePieces, limits),
                      target_bytes = package.words(kTargetPieces, limits);
    const std::array sides{text::read_model_file(source_bytes, package.path() / kSourcePieces),
                           text::read_model_file(target_bytes, package.path() / kTargetPieces)};
    // A model that begins with another word than <pad> is one of ours, in which <pad> takes part in the softmax.
    const bool is_ours = model.network.start != DecoderStart::kZeroVector;
    const auto plan = [&](const Dictionary& words, std::span<const text::ModelFile> of) {
      foreign::SpecialTokens special{.pad = kPadToken};
      if (words.id(kBeginToken)) special.begin = kBeginToken;
      return foreign::plan_vocabulary(words, special,
                                      is_ours ? foreign::Padding::kInSoftmax : foreign::Padding::kAbsent, of,
                                      package.where("vocab.json"));
    };
    model.source_words = plan(source, is_separate ? std::span(sides).first(1) : std::span(sides));
    model.target_words = is_separate ? plan(target, std::span(sides).last(1)) : model.source_words;
    model.source_tokenizer = foreign::planned_model(model.source_words, source_bytes, kSourcePieces);
    model.target_tokenizer = foreign::planned_model(model.target_words, target_bytes, kTargetPieces);
  }

  // As the caller says, else as the files say, else as the directory is called.
  std::string language(const std::string& key, const std::string& given, std::size_t part) const {
    if (!given.empty()) return given;
    if (package.has("tokenizer_config.json")) {
      const std::string where = package.where("tokenizer_config.json");
      const Json config = parse_json(package.text("tokenizer_config.json"), where);
      if (config.contains(key) && config[key].is_string()) return json_entry<std::string>(config, key, where);
    }
    return language_in_name(package.path(), part);
  }
};

}  // namespace

ForeignModel read_marian(const Package& package, const ImportLanguages& languages) {
  return MarianReader{package, languages}.read();
}

}  // namespace dragoman::model
