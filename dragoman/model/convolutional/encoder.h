// The encoder of a convolutional model: convolutions whose taps lie on both sides of a word.
#pragma once

#include <vector>

#include "dragoman/model/convolutional/residual_convolution.h"

namespace dragoman::model::convolutional {

struct Encoder {
  nn::NormedLinear from_embedding, to_embedding;
  std::vector<ResidualConvolution> blocks;
  double gradient_scale = 1;  // of the output z

  explicit Encoder(const ConvolutionalConfig& config);

  // `embedded` is x_0, the sum of embeddings and positions. With the output z of the stack, mapped to the width of x_0:
  //   keys    Encoded::states = z
  //   values  Encoded::values = sqrt(n) (z + x_0) sqrt(1/2) for a sentence of n tokens
  // The factor sqrt(n) belongs to the sum over the values: it makes up for a mean of n values, which has a smaller
  // variance. Here it is applied once for all layers of the decoder.
  Encoded operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::model::convolutional
