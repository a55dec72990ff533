// Reads and writes config.json, the file in a model directory that describes the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "dragoman/model/model_config.h"

namespace dragoman::model {

// The version of the format of a model directory. config.json records it.
inline constexpr int kDirectoryFormat = 1;

// The contents of config.json.
struct ModelInfo {
  ModelConfig config;
  std::string source_language, target_language;  // BCP 47, or empty
  bool joint_vocabulary = true;
  std::uint64_t seed = 1;         // of the training run
  std::string provenance = "{}";  // how the weights were made, for people to read; a JSON object as text
};

// The directory with the files that describe a model: the given one, or the directory of the run if the given one is a
// checkpoint of a run (DIR/checkpoints/step-N). A checkpoint has weights of its own and shares everything else, so all
// functions that read a model directory take a checkpoint too.
std::filesystem::path described_in(const std::filesystem::path& directory);

// Replaces the file atomically. Throws an Error if this fails or if info.provenance is not JSON.
void write_info(const std::filesystem::path& directory, const ModelInfo& info);
// Throws an Error that names the file, or the directory, if it is missing, damaged or of another format. For a
// checkpoint the provenance names its step.
ModelInfo read_info(const std::filesystem::path& directory);

// Throws an Error if config.json is of another format, so that it is not replaced. A missing or damaged one may be.
void require_known_format(const std::filesystem::path& directory);

// Throws a UsageError if a file has this name, so that no directory of a model can have it.
void require_directory_name(const std::filesystem::path& directory);

}  // namespace dragoman::model
