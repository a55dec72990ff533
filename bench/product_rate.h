// Measures how fast this machine multiplies matrices. A training step is compared with this rate.
#pragma once

#include <cstdint>
#include <utility>
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

// The GFLOP/s of one of the two libraries for each of the shapes: the median over the rounds that were measured.
class ProductRates {
 public:
  ProductRates(Library library, std::vector<ProductShape> shapes)
      : library_(library), shapes_(std::move(shapes)), rates_(shapes_.size()) {}

  // Measures a round. Every rate is 0 for OpenBLAS in a build without it.
  void measure(Backend& on);
  void print() const;
  double best() const;

 private:
  Library library_;
  std::vector<ProductShape> shapes_;
  std::vector<std::vector<double>> rates_;  // of each shape, in each round
};

}  // namespace dragoman::bench
