// The sizes of the layers of a recurrent model, from its settings.
#pragma once

#include "dragoman/model/recurrent/config.h"
#include "dragoman/nn/memory_attention.h"
#include "dragoman/nn/recurrent.h"

namespace dragoman::model::recurrent {

CellKind cell_kind(const RecurrentConfig& config);
nn::RecurrentInit initialisation(const RecurrentConfig& config);
nn::CellSizes cell_sizes(const RecurrentConfig& config, std::int64_t in, std::int64_t context, std::int64_t H);
nn::MemoryAttentionSizes attention_sizes(const RecurrentConfig& config);
nn::HardAttention hard_attention(const RecurrentConfig& config);

// A weight matrix [in, out], whose result is added to those of other matrices with `fan_in` inputs in total, and a
// bias.
params::Parameter weights(const RecurrentConfig& config, std::int64_t in, std::int64_t out, std::int64_t fan_in);
params::Parameter bias(const RecurrentConfig& config, std::int64_t width);

}  // namespace dragoman::model::recurrent
