// What a step needs, found by running it without computing anything.
#pragma once

#include <cstdint>

#include "dragoman/backend/choice.h"
#include "dragoman/model/model_config.h"

namespace dragoman::train {

// Bytes at the peak; parameters and the optimiser's moments not counted.
struct StepMemory {
  std::int64_t values = 0, gradients = 0;  // in the backend's arena and in its pool

  std::int64_t total() const { return values + gradients; }
};

// A training step with `tokens` source and `tokens` target tokens, as different as they can be, in sentences of
// `sentence_length`.
StepMemory training_memory(const model::ModelConfig& config, std::int64_t tokens, std::int64_t sentence_length,
                           const Computing& computing = {});

// Translating `sentences` of `sentence_length` source tokens at once.
StepMemory decoding_memory(const model::ModelConfig& config, std::int64_t sentences, std::int64_t sentence_length,
                           const Computing& computing = {});

}  // namespace dragoman::train
