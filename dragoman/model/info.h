// Reads and writes config.json, the file in a model directory that describes the model.
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
  std::string provenance = "{}";  // how the weights were made, for people to read; a JSON object as text
};

// Both throw an Error that names the file if it is missing, damaged or of another format. The file is replaced
// atomically.
void write_info(const std::filesystem::path& directory, const ModelInfo& info);
ModelInfo read_info(const std::filesystem::path& directory);

}  // namespace dragoman::model
