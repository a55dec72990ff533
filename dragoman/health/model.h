// Checks a model directory: its weights, vocabulary, checkpoints and other files, and whether it translates.
#pragma once

#include <filesystem>
#include <string>

#include "dragoman/array/dtype.h"
#include "dragoman/health/finding.h"

namespace dragoman::health {

struct ModelRequest {
  std::filesystem::path directory;
  std::string sentence = {};  // to translate; empty for one of the validation text, or some words of the vocabulary
  Device device = {};
  int threads = 0;  // 0 for all
};

// Changes nothing in the directory. Whatever is wrong with the model is in the findings.
Section model_section(const ModelRequest& request);

}  // namespace dragoman::health
