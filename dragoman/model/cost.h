// What a model costs to run, counted from its sizes alone.
#pragma once

#include <cstdint>

#include "dragoman/model/config.h"

namespace dragoman::model {

// Multiply-adds of one forward pass over a pair of n source and m target tokens: the matrix products of both stacks
// (attention over all keys, whether masked or not, or over `window` of them) and the output projection.
std::int64_t multiply_adds(const TransformerConfig& config, std::int64_t n, std::int64_t m);

// Floating-point operations of training on such a pair: two for each multiply-add, and backward costs twice forward.
double training_flops(const TransformerConfig& config, std::int64_t n, std::int64_t m);

}  // namespace dragoman::model
