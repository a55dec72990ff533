// A model is a directory: config.json says what it is, model.safetensors holds its weights, and tokenizer.model (or one
// file for each side) its vocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/model/info.h"
#include "dragoman/model/transformer.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::model {

struct Tokenizers {
  text::Tokenizer source, target;
};

std::filesystem::path weights_file(const std::filesystem::path& directory);

// Each throws an Error that names the file for what is missing, damaged, foreign or of another size than config.json
// says; files are replaced whole or not at all.
bool has_tokenizers(const std::filesystem::path& directory);
void write_tokenizers(const std::filesystem::path& directory, const Tokenizers& tokenizers, bool joint);
Tokenizers read_tokenizers(const std::filesystem::path& directory);
// That the vocabularies are of the model's sizes.
void check_vocabularies(const std::filesystem::path& directory, const Tokenizers& tokenizers,
                        const TransformerConfig& config);

// A model with its memory, ready to translate. Its weights are packed in the form that is asked for, or else in that of
// the file: rounded weights stay rounded; a CUDA device then takes bfloat16. Those of a file that were rounded come
// back as integer times scale if numbers are asked for; numbers are rounded if integers are.
struct LoadedModel {
  LoadedModel(Backend& on, const std::filesystem::path& directory, std::optional<WeightForm> form = std::nullopt);

  ModelInfo info;
  Tokenizers tokenizers;
  Transformer transformer;
  nn::ParameterBlock block;
};

}  // namespace dragoman::model
