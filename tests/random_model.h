// Models with random weights in directories of their own.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/testing.h"

namespace dragoman {

// Writes a model of these settings with the words of data::word_tokenizer(). Its weights are twice as large as at the
// start of training. Small is model::SmallModel, or another SmallModelOf<>.
template <class Small = model::SmallModel, class Config>
void write_random_model(const std::string& directory, const Config& config, std::uint64_t seed,
                        const std::string& source = "", const std::string& target = "") {
  make_directory(directory);
  model::ModelInfo info;
  info.config = config;
  info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
  info.source_language = source;
  info.target_language = target;
  Small small(info.config.as<Config>(), {.seed = seed});
  for (const params::NamedTensor& tensor : small.block.tensors()) {
    small.on->scaled(tensor.values, 1, Sink::accumulate(tensor.values));
  }
  small.add_noise();
  model::write_info(directory, info);
  model::write_tokenizers(directory, {data::word_tokenizer(), data::word_tokenizer()}, true);
  model::write_safetensors(model::weights_file(directory), *small.on, small.block.saved());
}

}  // namespace dragoman
