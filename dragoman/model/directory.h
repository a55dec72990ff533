// A model is a directory: config.json says what it is, model.safetensors holds its weights, and tokenizer.model (or one
// file for each side) its vocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/model/info.h"
#include "dragoman/model/seq2seq.h"
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
                        const ModelConfig& config);

// A model with its memory, ready to translate. Its weights take the form that is asked for. If none is, a CUDA device
// takes bfloat16 whatever the file holds, and the CPU takes the file's own form: weights that were rounded to integers
// stay so. Integers become numbers, each times its scale, where numbers are wanted, and numbers are rounded where
// integers are.
struct LoadedModel {
  LoadedModel(Backend& on, const std::filesystem::path& directory, std::optional<WeightForm> form = std::nullopt);

  ModelInfo info;
  Tokenizers tokenizers;
  std::unique_ptr<Seq2Seq> model;
  nn::ParameterBlock block;
};

}  // namespace dragoman::model
