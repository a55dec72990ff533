// Measures the memory of a step by running it on a backend that computes nothing and only counts memory.
#pragma once

#include <cstdint>
#include <optional>

#include "dragoman/backend/choice.h"
#include "dragoman/model/model_config.h"

namespace dragoman::train {

// Peak memory in bytes, without the parameters and the optimiser's moments.
struct StepMemory {
  std::int64_t values = 0, gradients = 0;  // in the backend's arena and in its pool of gradients

  std::int64_t total() const { return values + gradients; }
};

// A training step with `tokens` source and `tokens` target tokens, in sentences of `sentence_length`, or the validation
// of such a batch, whichever needs more. As many tokens as possible are different, because that needs the most memory.
StepMemory training_memory(const model::ModelConfig& config, std::int64_t tokens, std::int64_t sentence_length,
                           const DeviceAndType& device_and_type = {});

// Translating `sentences` of `sentence_length` source tokens at once. All translations begin with `first`, if given.
StepMemory decoding_memory(const model::ModelConfig& config, std::int64_t sentences, std::int64_t sentence_length,
                           const DeviceAndType& device_and_type = {}, std::optional<std::int32_t> first = std::nullopt);

}  // namespace dragoman::train
