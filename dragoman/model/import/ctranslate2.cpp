#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/model/import/foreign_model.h"
#include "dragoman/model/import/language_codes.h"

namespace dragoman::model {
namespace {

using foreign::CTranslate2Config;
using foreign::CTranslate2File;
using foreign::Dictionary;

// SentencePiece models under the names that converters and packages give them. The format itself has none.
struct PieceFiles {
  std::string source, target;
};

PieceFiles find_pieces(const Package& package) {
  if (package.has("source.spm") && package.has("target.spm")) return {"source.spm", "target.spm"};
  const auto both = package.first_of(
      {"sentencepiece.model", "sentencepiece.bpe.model", "spm.model", "spiece.model", "tokenizer.model"});
  require<Error>(both.has_value(), package.where(),
                 " has no SentencePiece model; copy 'source.spm' and 'target.spm', or 'sentencepiece.model' for both "
                 "languages, into it.");
  // Packages of Argos that this program wrote have the model of the target beside that of the source.
  return {*both, package.first_of({"target.spm"}).value_or(*both)};
}

struct CTranslate2Reader {
  const Package &package, &pieces;
  CTranslate2File file = foreign::read_ctranslate2(package.open("model.bin"));
  CTranslate2Config config = {};
  text::VocabularyLimits limits = text::VocabularyLimits::of_weights(package.stored_bytes("model.bin"));

  Dictionary dictionary(const std::string& name) const {
    if (package.has(name + ".json")) {
      return foreign::parse_ctranslate2_vocabulary_json(package.words(name + ".json", limits), config.unknown,
                                                        package.where(name + ".json"));
    }
    require<Error>(package.has(name + ".txt"), package.where(), " has neither 'shared_vocabulary' nor '", name,
                   "', as .json or as .txt.");
    return foreign::parse_ctranslate2_vocabulary_text(package.words(name + ".txt", limits), config.unknown,
                                                      package.where(name + ".txt"));
  }

  // The tokens of the beginning and of padding take part in the softmax if the vocabulary has them.
  foreign::VocabularyPlan plan(const Dictionary& words, std::span<const text::ModelFile> sides) const {
    foreign::SpecialTokens special{.end = config.end, .unknown = config.unknown};
    if (words.id(config.begin)) special.begin = config.begin;
    for (const char* pad : {"<blank>", "<pad>"}) {
      if (!special.pad && words.id(pad)) special.pad = pad;
    }
    return foreign::plan_vocabulary(words, special, foreign::Padding::kInSoftmax, sides, package.where());
  }

  // Sources of Marian end with </s>, too: its tokenizer appends the token, so CTranslate2 need not.
  bool sources_end() const {
    const bool is_marian = file.number("decoder/start_from_zero_embedding").value_or(0) != 0;
    return config.add_source_end || is_marian;
  }

  void read_words(ForeignModel& model) const {
    const PieceFiles files = find_pieces(pieces);
    const std::string source_bytes = pieces.words(files.source, limits);
    const std::string target_bytes = files.target == files.source ? source_bytes : pieces.words(files.target, limits);
    const std::vector<text::ModelFile> sides{text::read_model_file(source_bytes, pieces.path() / files.source),
                                             text::read_model_file(target_bytes, pieces.path() / files.target)};
    if (package.first_of({"shared_vocabulary.json", "shared_vocabulary.txt"})) {
      model.source_words = model.target_words = plan(dictionary("shared_vocabulary"), sides);
    } else {
      model.source_words = plan(dictionary("source_vocabulary"), std::span(sides).first(1));
      model.target_words = plan(dictionary("target_vocabulary"), std::span(sides).last(1));
    }
    model.source_tokenizer = foreign::planned_model(model.source_words, source_bytes, files.source);
    model.target_tokenizer = foreign::planned_model(model.target_words, target_bytes, files.target);
    if (!sources_end()) model.source_tokenizer = text::without_end(std::move(model.source_tokenizer));
  }
};

}  // namespace

ForeignModel read_ctranslate2_model(const Package& package, const Package& pieces, const ImportLanguages& languages) {
  constexpr int kFirstWithConfigFile = 6;
  CTranslate2Reader reader{.package = package, .pieces = pieces};
  reader.config = reader.file.version >= kFirstWithConfigFile
                      ? foreign::parse_ctranslate2_config(package.text("config.json"), package.where("config.json"))
                      : foreign::ctranslate2_config_of(reader.file);
  require<Error>(!reader.config.add_source_begin, package.where(),
                 ": 'add_source_bos' is set, which this program does not have.");
  ForeignModel model{.kind = "a model of CTranslate2",
                     .network = foreign::ctranslate2_network(reader.file, reader.config, package.where("model.bin")),
                     .origin = foreign::Origin::kCTranslate2,
                     .weights = package.where("model.bin"),
                     .weight_bytes = package.stored_bytes("model.bin"),
                     .languages = languages,
                     .search = search_text({.rules = "ctranslate2", .beam = 2, .least_tokens = 1})};
  reader.read_words(model);
  begin_with_language_code(model, languages, package.where());
  model.tensors = std::move(reader.file.variables);
  return model;
}

}  // namespace dragoman::model
