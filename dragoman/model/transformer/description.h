// The Transformer's attention sites and layers, as observers and the page know them.
#pragma once

#include "dragoman/model/blocks.h"
#include "dragoman/model/transformer/stack.h"
#include "dragoman/nn/sites.h"

namespace dragoman::model::transformer {

// The attention sites of stacks with these numbers of layers, in the order of the indices in `Site`.
nn::AttentionSites attention_sites(const TransformerConfig& config, int encoder_layers, int decoder_layers);

// The blocks of a layer, and those above the last layer of the encoder or of the decoder.
Blocks layer_blocks(const TransformerConfig& config, Stack::Kind kind);
Blocks top_blocks(const TransformerConfig& config, Stack::Kind kind);

}  // namespace dragoman::model::transformer
