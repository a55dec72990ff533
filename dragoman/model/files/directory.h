// A model is a directory: config.json describes it, model.safetensors holds its weights, and tokenizer.model (or one
// file for each side) its vocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/model/files/info.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::model {

struct Tokenizers {
  text::Tokenizer source, target;
};

std::filesystem::path weights_file(const std::filesystem::path& directory);

// These functions throw an Error that names the file if it is missing, damaged, of another format, or of another size
// than config.json says. A file is replaced atomically.
// A joint tokenizer is one for both sides, in one file.
bool has_tokenizers(const std::filesystem::path& directory);
void write_tokenizers(const std::filesystem::path& directory, const Tokenizers& tokenizers, bool joint);
// The same for their files, which need not be in memory as tokenizers.
void write_tokenizer_files(const std::filesystem::path& directory, const std::string& source, const std::string& target,
                           bool joint);
Tokenizers read_tokenizers(const std::filesystem::path& directory);
// Throws an Error unless the vocabularies have the sizes in the model's config.
void check_vocabularies(const std::filesystem::path& directory, const Tokenizers& tokenizers,
                        const ModelConfig& config);

// A model with its memory, ready to translate. The caller may choose the form of the weights. By default a CUDA device
// uses bfloat16, and the CPU uses the form of the file: weights that are stored as 8-bit integers stay integers.
// Weights are converted where the two differ: integers are multiplied by their scales, or floats are rounded.
struct LoadedModel {
  LoadedModel(Backend& on, const std::filesystem::path& directory, std::optional<WeightForm> form = std::nullopt);

  ModelInfo info;
  Tokenizers tokenizers;
  std::unique_ptr<Seq2Seq> model;
  params::ParameterBlock block;
};

}  // namespace dragoman::model
