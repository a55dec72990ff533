// A model that fails while it translates, as hardware may: an architecture of its own, so that the program and its
// server can be run with it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/backend/device_errors.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/model/testing.h"
#include "tests/bag_of_words.h"

namespace dragoman::model {

inline constexpr const char* kLossReason = "the GPU has left; start again.";

struct FailingConfig : BagConfig {
  static constexpr std::string_view kArch = "failing";
};

// For a sentence with the word "seven" it loses the device, and for one with "eight" there is not enough memory.
class FailingModel final : public BagOfWords {
 public:
  using BagOfWords::BagOfWords;

  Encoded encode(const Tokens& source, nn::Pass& pass) const override {
    const auto* first = source.ids.data<std::int32_t>();
    const auto has = [&](const char* word) {
      return std::count(first, first + source.ids.count(), data::word_tokenizer().encode(word).front()) > 0;
    };
    if (has("seven")) throw DeviceLost(kLossReason);
    if (has("eight")) throw MemoryError("out of memory: '/srv/model' takes all.");
    return BagOfWords::encode(source, pass);
  }
};

inline std::unique_ptr<Seq2Seq> make_model(const FailingConfig& config) {
  return std::make_unique<FailingModel>(config);
}

inline void add_failing_architecture() {
  add_architecture({.name = std::string(FailingConfig::kArch),
                    .summary = "fails at some words",
                    .presets = {{"failing", "fails at some words", FailingConfig(), TrainingConfig()}}});
}

inline void write_failing_model(const std::filesystem::path& directory) {
  ModelInfo info{.config = FailingConfig(), .source_language = "en", .target_language = "de"};
  info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
  const SmallModelOf<FailingModel, FailingConfig> small(info.config.as<FailingConfig>());
  std::filesystem::create_directories(directory);
  write_info(directory, info);
  write_tokenizers(directory, {data::word_tokenizer(), data::word_tokenizer()}, true);
  write_safetensors(weights_file(directory), *small.on, small.block.tensors());
}

}  // namespace dragoman::model
