// The vocabularies of a run: found in its directory, taken from another model, or learned from its training text.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/languages.h"
#include "dragoman/train/settings.h"

namespace dragoman::train {

struct VocabularyRequest {
  std::filesystem::path directory;  // of the model
  std::filesystem::path init;       // of a model to take them from; empty for none
  std::function<void(const std::string& sentence)> message;
};

// Writes nothing. Throws a UsageError if those found do not go with the settings or with the model to start from.
model::Tokenizers provide_tokenizers(const Settings& settings, const VocabularyRequest& request);

// What text in the languages looks like, from the first training pairs. Languages whose tags are not known are left
// out.
std::vector<text::KnownLanguage> learn_languages(const TextSettings& text);

}  // namespace dragoman::train
