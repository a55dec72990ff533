// How fast this machine multiplies matrices: what a training step is measured against.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/model/transformer/config.h"

namespace dragoman::bench {

struct ProductShape {
  std::int64_t M, N, K;
};

enum class Library { kOurs, kOpenBlas };

// A product of 2048^3, and those of a step over `tokens` tokens of each side.
std::vector<ProductShape> step_shapes(const model::TransformerConfig& config, std::int64_t tokens);

// The best GFLOP/s over the shapes, each of which is printed; 0 by OpenBLAS in a build without it.
double best_rate(Backend& on, const std::vector<ProductShape>& shapes, Library library);

}  // namespace dragoman::bench
