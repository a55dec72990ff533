#include <string>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/export/formats.h"
#include "dragoman/model/foreign/zip_writer.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

// Names of languages are for people; without a table of names the code serves as one.
Json metadata_of(const OurModel& model) {
  const ModelInfo& info = model.info();
  const auto& target = model.tokenizers().target;
  Json metadata{{"package_version", "1.0"},
                {"argos_version", "1.0"},
                {"from_code", info.source_language},
                {"from_name", info.source_language},
                {"to_code", info.target_language},
                {"to_name", info.target_language},
                {"type", "translate"}};
  if (target.first()) metadata["target_prefix"] = target.piece(*target.first());
  return metadata;
}

}  // namespace

void write_argos_package(const OurModel& model, const ExportTarget& target) {
  const ModelInfo& info = model.info();
  require<Error>(
      !info.source_language.empty() && !info.target_language.empty(),
      "the model does not say which languages it translates, but a package of Argos has to; name them in its "
      "config.json as 'source_language' and 'target_language', such as \"en\" and \"de\".");
  const auto& [from, to] = model.tokenizers();
  if (from.first()) {
    throw Error(join("Argos cannot begin every source with the token ", in_quotes(from.piece(*from.first())),
                     ", which this model needs."));
  }
  const fs::path model_directory = target.directory / "model";
  make_directory(model_directory);
  write_ctranslate2_model(model, {model_directory, target.precision, target.warnings});

  const std::string name = join("translate-", info.source_language, "_", info.target_language, "-1_0");
  foreign::ZipWriter zip(target.directory / kArgosPackage);
  zip.add(name + "/metadata.json", metadata_of(model).dump(2) + "\n");
  // Argos cuts sources with this model and puts the pieces of translations together.
  zip.add(name + "/sentencepiece.model", from.bytes());
  if (!info.joint_vocabulary) zip.add(name + "/target.spm", to.bytes());
  for (const fs::path& file : list_directory(model_directory)) {
    const bool is_tokenizer = file.extension() == ".model" || file.extension() == ".spm";
    if (!is_tokenizer) zip.add_file(name + "/model/" + file.filename().string(), file);
  }
  zip.finish();
}

}  // namespace dragoman::model
