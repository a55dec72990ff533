// dragoman import: takes a model of another program.
#include <fmt/format.h>

#include <string>

#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/import/import.h"

namespace dragoman::cli {
namespace {

struct ImportOptions {
  std::string model;
  model::ImportLanguages languages;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory for the model, new or empty");
    field("source-language", languages.source, "language that it translates from, such as en, if its files do not say");
    field("target-language", languages.target,
          "language that it translates into; for a model of several languages, the one to import it for");
  }
};

void import_model(CommandSettings& settings) {
  settings.read_file();
  ImportOptions options;
  settings.apply(options);
  require<UsageError>(settings.arguments().size() == 1,
                      "name one model to import, the directory or file in which another program has it.");
  const model::ImportedModel imported =
      model::import_model(settings.arguments().front(), options.model, options.languages);
  const model::ModelInfo& info = imported.info;
  const bool has_languages = !info.source_language.empty() && !info.target_language.empty();
  print(fmt::format("wrote '{}': {}{}, {}\n", options.model, imported.kind,
                    has_languages ? fmt::format(" from {} to {}", info.source_language, info.target_language) : "",
                    info.config.describe()));
}

}  // namespace

void add_import(CLI::App& program) {
  CommandSettings& settings = add_command(program, "import", "take a model of another program", import_model);
  settings.add_arguments(
      "FILE-OR-DIR",
      "directory of a model of Transformers (MarianMT, such as OPUS-MT, or M2M100), of CTranslate2 or of fairseq, a "
      "checkpoint of fairseq, or a package of Argos (.argosmodel)");
  settings.add_flags(ImportOptions{}, "Options");
  settings.require_keys({"model"});
  settings.add_examples({{"take a model of OPUS-MT that was downloaded from Hugging Face",
                          "dragoman import opus-mt-en-de --model english-german-opus"},
                         {"take a model of CTranslate2, whose files do not name the languages",
                          "dragoman import ct2-en-de --model english-german-ct2 \\\n"
                          "  --source-language en --target-language de"},
                         {"take a model of fairseq; its dictionaries and BPE codes are in the same directory",
                          "dragoman import wmt14/checkpoint_best.pt --model english-french-wmt14"}});
}

}  // namespace dragoman::cli
