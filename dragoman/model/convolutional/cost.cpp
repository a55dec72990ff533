#include "dragoman/model/convolutional/config.h"

namespace dragoman::model::convolutional {
namespace {

// The work of a stack for one token: the map from the embedding, the convolutions with their residual maps, and
// `of_attention` for each layer of c channels.
template <class OfAttention>
Checked stack_work(const ConvolutionalConfig& config, const std::vector<LayerSize>& layers,
                   const OfAttention& of_attention) {
  Checked in = layers.front().channels, work = Checked(config.E) * in;
  for (const LayerSize& layer : layers) {
    const Checked c = layer.channels;
    work = work + Checked(layer.kernel) * in * 2 * c + of_attention(c);
    if (in.value != c.value) work = work + in * c;
    in = c;
  }
  return work;
}

}  // namespace

// Every decoder layer compares m queries with n keys and mixes n values, all of width E.
Checked multiply_adds(const ConvolutionalConfig& config, std::int64_t n, std::int64_t m) {
  const std::vector<LayerSize> encoder = config.encoder(), decoder = config.decoder();
  const Checked E = config.E, out = config.output_width();
  const auto none = [](Checked) { return Checked(0); };
  const auto attention = [&](Checked c) { return Checked(2) * E * c + Checked(n) * 2 * E; };
  const Checked of_source = stack_work(config, encoder, none) + Checked(encoder.back().channels) * E;
  const Checked of_target =
      stack_work(config, decoder, attention) + Checked(decoder.back().channels) * out + out * config.V_target;
  return Checked(n) * of_source + Checked(m) * of_target;
}

}  // namespace dragoman::model::convolutional
