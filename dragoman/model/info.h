// config.json of a model directory: what the model is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "dragoman/model/model_config.h"

namespace dragoman::model {

inline constexpr int kDirectoryFormat = 1;

// The contents of config.json.
struct ModelInfo {
  ModelConfig config;
  std::string source_language, target_language;  // BCP 47, or empty
  bool joint_vocabulary = true;
  std::uint64_t seed = 1;
  std::string provenance = "{}";  // how the weights came to be, a JSON object as text; read by people
};

// Both throw an Error that names the file for what is missing, damaged or foreign; the file is replaced whole or not at
// all.
void write_info(const std::filesystem::path& directory, const ModelInfo& info);
ModelInfo read_info(const std::filesystem::path& directory);

}  // namespace dragoman::model
