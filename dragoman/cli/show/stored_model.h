// What `dragoman inspect --model` says about a model beside its sizes: where it comes from and how it is stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "dragoman/base/json.h"
#include "dragoman/model/files/info.h"

namespace dragoman::cli {

struct StoredModel {
  std::filesystem::path directory;
  model::ModelInfo info;
  std::string type;               // of its weights: float32, bfloat16 or int8
  std::uintmax_t file_bytes = 0;  // of the file of weights
};

// Throws an Error that names the file if the directory holds no whole model.
StoredModel read_stored_model(const std::filesystem::path& directory);

// A line for each fact. What config.json does not say is left out.
std::string stored_model_text(const StoredModel& model);
// The same as entries of a JSON object.
Json stored_model_json(const StoredModel& model);

}  // namespace dragoman::cli
