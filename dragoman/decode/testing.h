// Models and fixtures that the tests of searches share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dragoman/data/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {

// A vocabulary of 200 words; source embedding, target embedding and output layer do not share weights.
inline model::TransformerConfig untied_config() {
  model::TransformerConfig config = model::small_config();
  config.V_source = config.V_target = 200;
  config.tie = model::Tie::kNone;
  return config;
}

// If `twins`, each word has a twin with the same embedding, so that scores tie at every step. The seed also picks the
// number of layers, the place of the normalisation and the precision.
inline std::unique_ptr<model::SmallModel> model_with_twins(std::uint64_t seed, bool twins) {
  model::TransformerConfig config = model::small_config();
  config.V_source = config.V_target = 14;
  config.N_enc = config.N_dec = 1 + static_cast<int>(seed % 2);
  config.norm = seed % 3 == 0 ? model::transformer::Norm::kPre : model::transformer::Norm::kPost;
  const DType dtype = seed % 5 == 0 ? DType::kFloat64 : DType::kFloat32;
  auto small =
      std::make_unique<model::SmallModel>(config, model::SmallOptions{.threads = 1, .dtype = dtype, .seed = seed});
  small->add_noise();
  const Array E = small->parameter("embed.E");
  small->on->scaled(E, 2, Sink::accumulate(E));  // so that some words are likely
  for (std::int64_t v = 4; twins && v < 14; v += 2) {
    small->on->scaled(E.row_range(v, 1), 1, Sink::overwrite(E.row_range(v + 1, 1)));
  }
  return small;
}

// Writes a small model with the vocabulary of data::word_tokenizer() into `directory`.
class ModelDirectoryTest : public data::CorpusTest {
 protected:
  ModelDirectoryTest() { write_model(model::small_config()); }
  void write_model(const model::TransformerConfig& config,
                   const std::function<void(model::SmallModel&)>& change = {}) const {
    model::ModelInfo info;
    info.config = config;
    info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
    model::SmallModel small(info.config);
    small.add_noise();
    if (change) change(small);
    model::write_info(directory, info);
    model::write_tokenizers(directory, {data::word_tokenizer(), data::word_tokenizer()}, true);
    model::write_safetensors(model::weights_file(directory), *small.on, small.block.tensors());
  }
  // A model whose scores are not finite numbers for sentences with the word "nine". The numbers in its file are finite.
  void write_damaged_model() const {
    model::TransformerConfig config = model::small_config();
    config.tie = model::Tie::kNone;
    write_model(config, [](model::SmallModel& small) {
      const std::int32_t nine = data::word_tokenizer().encode("nine").front();
      const Array row = small.parameter("embed.E_source").row_range(nine, 1);
      small.on->scaled(row, 1e30, Sink::overwrite(row));
    });
  }
  void name_languages(const std::string& source, const std::string& target) const {
    model::ModelInfo info = model::read_info(directory);
    info.source_language = source;
    info.target_language = target;
    model::write_info(directory, info);
  }
};

}  // namespace dragoman::decode
