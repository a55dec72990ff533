#include <string>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/import/foreign_model.h"

namespace dragoman::model {
namespace {

// How Argos searches with every model.
constexpr int kBeam = 4;
constexpr double kLengthPenalty = 0.2;

}  // namespace

ForeignModel read_argos(const Package& package, const ImportLanguages& languages) {
  const std::string where = package.where("metadata.json");
  const Json metadata = parse_json(package.text("metadata.json"), where);
  require<Error>(metadata.is_object(), where, " is not a JSON object.");
  const auto text = [&](const char* key, const std::string& otherwise) {
    return metadata.contains(key) && !metadata[key].is_null() ? json_entry<std::string>(metadata, key, where)
                                                              : otherwise;
  };
  const std::string type = text("type", "translate");
  require<Error>(type == "translate", where, ": 'type' is ", in_quotes(type),
                 ", but only packages of the type 'translate' can be imported.");
  require<Error>(!package.has("bpe.model") || package.has("sentencepiece.model"), package.where(),
                 " cuts text with 'bpe.model', which this program does not read.");
  const ImportLanguages of_package{
      .source = languages.source.empty() ? text("from_code", "") : languages.source,
      .target = languages.target.empty() ? text("to_code", "") : languages.target,
  };
  ForeignModel model = read_ctranslate2_model(package.inside("model"), package, of_package);
  model.kind = "a package of Argos";
  model.search =
      search_text({.rules = "ctranslate2", .beam = kBeam, .length_penalty = kLengthPenalty, .least_tokens = 1});
  // The token of a language, with which translations begin.
  const std::string prefix = text("target_prefix", "");
  if (!prefix.empty()) model.target_tokenizer = text::with_first_piece(std::move(model.target_tokenizer), prefix);
  return model;
}

}  // namespace dragoman::model
