// The multiply-adds of the Transformer's layers.
#pragma once

#include <cstdint>

#include "dragoman/model/checked.h"
#include "dragoman/model/transformer/config.h"

namespace dragoman::model::transformer {

// Of one layer and of the output projection, for n source and m target tokens. Attention counts all keys, masked or
// not; with a window, only those in the window.
struct LayerCosts {
  Checked encoder, decoder;
  Checked memory;  // the keys and values of a decoder layer's memory; not in `decoder`
  Checked output;
};
LayerCosts layer_costs(const TransformerConfig& config, std::int64_t n, std::int64_t m);

}  // namespace dragoman::model::transformer
