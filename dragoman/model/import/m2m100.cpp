#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/import/foreign_model.h"
#include "dragoman/model/import/transformers.h"

namespace dragoman::model {
namespace {

constexpr const char* kPieces = "sentencepiece.bpe.model";

// Both languages are chosen by tokens: that of the source is the first of the source, and that of the target the first
// of the translation.
std::string language_token(const std::string& language, const char* flag, const Package& package) {
  require<UsageError>(!language.empty(), package.where(), " translates between 100 languages; choose one with ", flag,
                      ", such as en, de or zh.");
  require<UsageError>(std::ranges::count(foreign::m2m100_languages(), language) > 0, package.where(),
                      " does not have the language ", in_quotes(language), ", which ", flag, " names.");
  return foreign::m2m100_token(language);
}

// vocab.json, the languages, and words without a meaning that fill the vocabulary up.
foreign::Dictionary m2m100_dictionary(const Package& package, int size, const text::VocabularyLimits& limits) {
  const std::string where = package.where("vocab.json");
  foreign::Dictionary words = foreign::parse_vocab_json(package.words("vocab.json", limits), where);
  for (const std::string_view language : foreign::m2m100_languages()) {
    words.append(foreign::m2m100_token(language), where);
  }
  require<Error>(words.size() <= size, package.where("config.json"), ": 'vocab_size' is ", size, ", but there are ",
                 words.size(), " tokens; models with other languages than the 100 of M2M100 cannot be imported.");
  constexpr int kMaxFill = 64;
  require<Error>(size - words.size() <= kMaxFill, package.where("config.json"), ": 'vocab_size' is ", size,
                 ", but there are only ", words.size(), " tokens.");
  for (int fill = 0; words.size() < size; ++fill) words.append(join("madeupword", fill), where);
  return words;
}

// NLLB has the network of M2M100, but another tokenizer: its ids follow from its SentencePiece model and not from
// vocab.json. Others have the network, too.
void require_tokenizer(const Package& package) {
  constexpr const char* kFile = "tokenizer_config.json";
  if (!package.has(kFile)) return;
  const Json config = parse_json(package.text(kFile), package.where(kFile));
  if (!config.is_object() || !config.contains("tokenizer_class") || config["tokenizer_class"].is_null()) return;
  const auto tokenizer = json_entry<std::string>(config, "tokenizer_class", package.where(kFile));
  require<Error>(!tokenizer.starts_with("Nllb"), package.where(),
                 " is a model of NLLB, which numbers its tokens in another way than M2M100; it cannot be imported.");
  require<Error>(tokenizer.starts_with("M2M100Tokenizer"), package.where(kFile), ": 'tokenizer_class' is ",
                 in_quotes(tokenizer), ", but only \"M2M100Tokenizer\" can be imported.");
}

}  // namespace

ForeignModel read_m2m100(const Package& package, const ImportLanguages& languages) {
  require_tokenizer(package);
  const std::string source = language_token(languages.source, "--source-language", package);
  const std::string target = language_token(languages.target, "--target-language", package);
  ForeignModel model{.kind = "an M2M100 model of Transformers",
                     .network = foreign::m2m100_network(package.text("config.json"), package.where("config.json")),
                     .languages = languages,
                     .search = transformers_search(package)};
  open_transformers_weights(package, model);
  const auto limits = text::VocabularyLimits::of_weights(model.weight_bytes);
  const std::string bytes = package.words(kPieces, limits);
  const std::vector<text::ModelFile> sides{text::read_model_file(bytes, package.path() / kPieces)};
  model.source_words = foreign::plan_vocabulary(m2m100_dictionary(package, model.network.source_vocabulary, limits),
                                                {.pad = "<pad>", .begin = "<s>"}, foreign::Padding::kInSoftmax, sides,
                                                package.where("vocab.json"));
  model.target_words = model.source_words;
  const std::string tokenizer = foreign::planned_model(model.source_words, bytes, kPieces);
  model.source_tokenizer = text::with_first_piece(tokenizer, source);
  model.target_tokenizer = text::with_first_piece(tokenizer, target);
  return model;
}

}  // namespace dragoman::model
