// The part that the encoder and the decoder of a convolutional model share.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "dragoman/model/convolutional/config.h"
#include "dragoman/nn/convolution.h"

namespace dragoman::model::convolutional {

// The factor of every sum of two values: it keeps the variance if they are independent.
inline const double kRootHalf = std::sqrt(0.5);

// A gated convolution with its residual connection. The residual is mapped if the number of channels changes.
struct ResidualConvolution {
  nn::GatedConvolution convolution;
  nn::NormedLinear residual;  // optional
  double P_drop = 0;

  ResidualConvolution(std::int64_t in, const LayerSize& size, const Taps& taps, double P_drop_);

  // The convolution of x with dropout.
  Tensor convolve(const Tensor& x, const Segments& segments, nn::Pass& pass) const;
  // (y + r) sqrt(1/2), where r is x or, if it is mapped, its map.
  Tensor add_residual(const Tensor& y, const Tensor& x) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::model::convolutional
