// Limits of the uniform distributions that initial weights are drawn from.
#pragma once

#include <cmath>
#include <cstdint>

namespace dragoman::nn {

// Glorot and Bengio (2010): with weights from U(-limit, limit), activations and gradients keep about the same variance
// through a layer.
inline double glorot_limit(std::int64_t fan_in, std::int64_t fan_out) {
  return std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
}

}  // namespace dragoman::nn
