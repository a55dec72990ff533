#include "dragoman/model/import/foreign_model.h"

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"

namespace dragoman::model {

namespace fs = std::filesystem;

std::string search_text(const ForeignSearch& search) {
  return Json{{"beam", search.beam},   {"alpha", search.length_penalty},
              {"length-norm", "pow"},  {"stop", search.stop},
              {"rules", search.rules}, {"min-length", search.least_tokens == 0 ? 0 : search.least_tokens + 1}}
      .dump();
}

void require_layers(const ForeignModel& model) {
  const auto layers = static_cast<std::uint64_t>(model.network.encoder_layers) +
                      static_cast<std::uint64_t>(model.network.decoder_layers);
  require<Error>(layers <= model.tensors.size(), model.weights, " has ", model.tensors.size(),
                 " tensors, but the configuration names ", layers, " layers.");
}

ForeignModel read_foreign_model(const fs::path& from, const ImportLanguages& languages) {
  if (const auto checkpoint = find_fairseq_checkpoint(from)) return read_fairseq(*checkpoint, languages);
  const Package package(from);
  if (package.has("metadata.json")) return read_argos(package, languages);
  if (package.has("model.bin")) return read_ctranslate2_model(package, package, languages);
  require<Error>(package.has("config.json"), "'", from.string(),
                 "' is not a model that this program knows: it has neither 'config.json' nor 'model.bin' nor "
                 "'checkpoint_best.pt'.");
  const std::string where = package.where("config.json");
  const Json config = parse_json(package.text("config.json"), where);
  require<UsageError>(!config.is_object() || !config.contains("format"), "'", from.string(),
                      "' is a model of dragoman already.");
  require<Error>(!config.contains("decoder_start_token") || config.contains("model_type"), package.where(),
                 " has a 'config.json' of CTranslate2, but no 'model.bin', the file of its weights.");
  const auto type = json_entry<std::string>(config, "model_type", where);
  if (type == "m2m_100") return read_m2m100(package, languages);
  require<Error>(type == "marian", where, ": 'model_type' is ", in_quotes(type),
                 ", but only 'marian' and 'm2m_100' can be imported.");
  return read_marian(package, languages);
}

}  // namespace dragoman::model
