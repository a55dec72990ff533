#include "dragoman/model/convolutional/encoder.h"

#include <string>

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/convolution.h"

namespace dragoman::model::convolutional {

Encoder::Encoder(const ConvolutionalConfig& config)
    : gradient_scale(config.slow_encoder ? 1.0 / (2.0 * config.N_dec) : 1.0) {
  const std::vector<LayerSize> layers = config.encoder();
  std::int64_t in = layers.front().channels;
  from_embedding = nn::NormedLinear(config.E, in, 1 - config.P_drop);
  for (const LayerSize& layer : layers) {
    blocks.emplace_back(in, layer, Taps::centred(layer.kernel, layer.dilation), config.P_drop);
    in = layer.channels;
  }
  to_embedding = nn::NormedLinear(in, config.E, 1);
}

Encoded Encoder::operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const {
  Tensor x = from_embedding(embedded);
  for (const ResidualConvolution& block : blocks) x = block.add_residual(block.convolve(x, segments, pass), x);
  // All layers of the decoder send gradients to z, which would make the encoder learn too fast.
  Tensor z = to_embedding(x);
  if (gradient_scale != 1) z = ops::scale_gradient(z, gradient_scale);
  return {.states = z,
          .segments = segments,
          .values = ops::scale_by_root_length(ops::add(z, embedded), segments, kRootHalf)};
}

void Encoder::parameters(params::ParameterVisitor& visit) {
  visit.inside("in", from_embedding);
  for (std::size_t l = 0; l < blocks.size(); ++l) visit.inside(std::to_string(l), blocks[l]);
  visit.inside("out", to_embedding);
}

}  // namespace dragoman::model::convolutional
