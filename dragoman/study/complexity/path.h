// The third column of Table 1: how many layers, or steps of a recurrent layer, a signal passes from the first position
// of the input to the last position of the output.
#pragma once

#include <cstdint>

#include "dragoman/study/complexity/layer.h"

namespace dragoman::study {

// The smallest number of layers or steps, by search over what every position of every layer reads. Requires k and r of
// at least 3 (2 if causal), because a layer that reads only its own position never connects two of them.
std::int64_t path_length(LayerKind kind, const LayerSizes& sizes, std::int64_t n);

// By formula: 1, n, n - 1, logarithms and so on.
std::int64_t expected_path(LayerKind kind, const LayerSizes& sizes, std::int64_t n);

// The largest absolute value of the gradient of the last position's output with respect to the first position's input,
// through `depth` layers or steps, computed in double precision by the layers themselves. n may be at most 64.
inline constexpr std::int64_t kLongestGradient = 64;
double path_gradient(LayerKind kind, const LayerSizes& sizes, std::int64_t n, std::int64_t depth);

}  // namespace dragoman::study
