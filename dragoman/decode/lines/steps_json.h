// The steps of a layer as JSON, for the server and the page.
#pragma once

#include "dragoman/base/json.h"
#include "dragoman/decode/inside/steps.h"

namespace dragoman::decode {

// {attention, layer, heads, norm, values, b_o, b_2, add_norm, feed_forward_norm, queries: [{query, weights, ...},
// ...]}. Vectors and matrices are packed; layers, queries and units are counted from 1. What the model does not show is
// left out.
Json steps_json(const LayerSteps& steps, const nn::AttentionSites& sites);

// A matrix in row-major order, packed: {rows, columns, packed}.
Json matrix_json(const std::vector<float>& values, std::int64_t columns);

}  // namespace dragoman::decode
