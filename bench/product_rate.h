// Measures how fast this machine multiplies matrices. A training step is compared with this rate.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/model/model_config.h"

namespace dragoman::bench {

// The product of a matrix [M, K] and a matrix [K, N].
struct ProductShape {
  std::int64_t M, N, K;
};

enum class Library { kOurs, kOpenBlas };

// The shapes to measure: 2048 x 2048 x 2048 and, for a Transformer, the larger products of a forward pass over `tokens`
// tokens: of self-attention, of the feed-forward network, and of the output layer with at most 1024 rows.
std::vector<ProductShape> step_shapes(const model::ModelConfig& model, std::int64_t tokens);

// Returns the best GFLOP/s over the shapes, and prints the rate of each. It is 0 for OpenBLAS in a build without it.
double best_rate(Backend& on, const std::vector<ProductShape>& shapes, Library library);

}  // namespace dragoman::bench
