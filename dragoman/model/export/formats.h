// The writers of the formats of other programs. Each writes into a directory that exists, and adds sentences about what
// the other program cannot do with the model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/model/export/our_model.h"
#include "dragoman/model/files/export.h"

namespace dragoman::model {

// The rows of a table of sinusoids, which other programs need. They cannot translate longer sentences with it.
inline constexpr std::int64_t kTableRows = 1024;

struct ExportTarget {
  std::filesystem::path directory;
  ExportPrecision precision = ExportPrecision::kFloat32;
  std::vector<std::string>& warnings;
};

// model.bin, config.json and the vocabularies, with the SentencePiece models beside them: sentencepiece.model for both
// languages, or source.spm and target.spm.
void write_ctranslate2_model(const OurModel& model, const ExportTarget& target);

// A directory of MarianMT: config.json, generation_config.json, model.safetensors, source.spm, target.spm, vocab.json
// and tokenizer_config.json.
void write_transformers_model(const OurModel& model, const ExportTarget& target);
// The files of a package of Argos and, as kArgosPackage, the package itself.
inline constexpr const char* kArgosPackage = "package.argosmodel";
void write_argos_package(const OurModel& model, const ExportTarget& target);

}  // namespace dragoman::model
