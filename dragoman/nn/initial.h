// Initial weights: limits of the uniform distributions.
#pragma once

#include <cmath>
#include <cstdint>

namespace dragoman::nn {

// Glorot and Bengio: U(-limit, limit) keeps the variance of activations and gradients through a layer.
inline double glorot_limit(std::int64_t fan_in, std::int64_t fan_out) {
  return std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
}

}  // namespace dragoman::nn
