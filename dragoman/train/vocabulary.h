// The vocabularies of a run: read from its directory, taken from another model, or learned from its training text.
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
  std::filesystem::path directory;                           // of the model
  std::filesystem::path init;                                // directory of the model to take them from; empty for none
  std::function<void(const std::string& sentence)> message;  // receives a sentence for the user
};

// Returns the tokenizers of the run; does not write them. Throws a UsageError if existing ones contradict the settings
// or the model to start from.
model::Tokenizers provide_tokenizers(const TrainingSettings& settings, const VocabularyRequest& request);

// Learns to recognise the two languages by their letters, from the first training pairs. A language without a tag is
// left out.
std::vector<text::KnownLanguage> learn_languages(const TextSettings& text);

}  // namespace dragoman::train
