// A model of ours while it is exported: everything in its directory that other programs can use.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/model/foreign/network.h"

namespace dragoman::model {

class OurModel {
 public:
  // Throws an Error if the model is damaged, or if other programs do not have such a network.
  explicit OurModel(const std::filesystem::path& directory);

  const ModelInfo& info() const { return info_; }
  const foreign::Network& network() const { return network_; }
  const Tokenizers& tokenizers() const { return tokenizers_; }

  // The values of a tensor as floats; empty if the model does not have it. Throws an Error if one is not finite.
  std::vector<float> values(const std::string& name) const;

 private:
  ModelInfo info_;
  foreign::Network network_;
  Tokenizers tokenizers_;
  SafetensorsFile file_;
  std::map<std::string, params::NamedTensor> tensors_;
};

// The ids of a model's words that the other program gets, in their order. Left out are the pieces that the vocabulary
// lacks (with_unknown_pieces() in text/model_file.h) and, where they are absent (backend/absent_words.h), <pad> and
// <s>.
struct ExportedWords {
  std::vector<std::int32_t> source, target;
};
ExportedWords exported_words(const OurModel& model);

}  // namespace dragoman::model
