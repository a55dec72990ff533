// What a training step needs, found by running it without computing anything.
#pragma once

#include <cstdint>

#include "dragoman/model/config.h"

namespace dragoman::train {

// Bytes of values and gradients that one step in float32 holds at its peak, for `tokens` source and `tokens` target
// tokens in sentences of `sentence_length`; parameters and the optimiser's moments not counted.
std::int64_t activation_bytes(const model::TransformerConfig& config, std::int64_t tokens,
                              std::int64_t sentence_length);

}  // namespace dragoman::train
