// Imports a model of another program: writes it as a model directory of ours.
#pragma once

#include <filesystem>
#include <string>

#include "dragoman/model/files/info.h"
#include "dragoman/model/import/foreign_model.h"

namespace dragoman::model {

struct ImportedModel {
  std::string kind;  // for people: "a MarianMT model of Transformers"
  ModelInfo info;
};

// Reads the model in the file or directory `from` and writes it to the directory `to`, which must not exist or must be
// empty. `to` appears only when it is complete. Throws an Error that says what is wrong.
ImportedModel import_model(const std::filesystem::path& from, const std::filesystem::path& to,
                           const ImportLanguages& languages = {});

}  // namespace dragoman::model
