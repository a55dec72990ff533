#include "dragoman/model/recurrent/encoder.h"

#include <string>

#include "dragoman/base/random.h"
#include "dragoman/data/time_rows.h"
#include "dragoman/model/recurrent/sizes.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::model::recurrent {

Encoder::Encoder(const RecurrentConfig& config)
    : P_layers(config.P_layers),
      P_context(config.P_context),
      noise(config.initial_state == StartName::kNoise ? config.noise : 0) {
  for (int layer = 0; layer < config.N_enc; ++layer) {
    layers.emplace_back(cell_sizes(config, layer == 0 ? config.E : config.d_h(), 0, config.H_enc), config.bidirectional,
                        config.encoder_self_attention);
  }
}

namespace {

constexpr std::uint32_t kNoisePurpose = 0x6E6F6973;  // purpose of the random streams: "nois" in ASCII

// The first states of a layer for all sentences, normal with this standard deviation. The values of a sentence depend
// on its number in the update, not on its batch mates.
Tensor noisy_start(const Segments& segments, std::int64_t width, double deviation, std::size_t layer, DType dtype,
                   const nn::Pass& pass) {
  std::vector<double> values;
  for (std::int64_t b = 0; b < segments.B; ++b) {
    const auto sentence = static_cast<std::uint32_t>(segments.first_sentence + b);
    RandomStream random(pass.seed, kNoisePurpose + static_cast<std::uint32_t>(layer),
                        (std::uint64_t{pass.update} << 32) | sentence);
    for (std::int64_t i = 0; i < width; ++i) values.push_back(deviation * random.normal());
  }
  Array drawn = pass.on.empty({segments.B, width}, DType::kFloat64);
  pass.on.copy_in(values.data(), drawn);
  const Array start = pass.on.empty({segments.B, width}, dtype);
  pass.on.scaled(drawn, 1.0, Sink::overwrite(start));
  return Tensor(pass.on, start);
}

}  // namespace

Encoded Encoder::operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const {
  const data::TimeRows rows = data::time_rows(pass.on, segments, segments);
  Tensor x = embedded;
  std::vector<Tensor> h, c;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    nn::CellState start;
    if (noise > 0 && pass.training) {
      start.h = noisy_start(segments, layers[l].width(), noise, l, embedded.array().dtype(), pass);
    }
    const nn::RecurrentLayer::Output output = layers[l](x, rows, start);
    h.push_back(output.last.h);
    if (output.last.c) c.push_back(output.last.c);
    const bool is_last = l + 1 == layers.size();
    x = ops::dropout(output.states, segments, pass.dropout(is_last ? P_context : P_layers));
  }
  h.insert(h.end(), c.begin(), c.end());
  return {x, segments, h};
}

void Encoder::parameters(params::ParameterVisitor& visit) {
  for (std::size_t l = 0; l < layers.size(); ++l) visit.inside(std::to_string(l), layers[l]);
}

}  // namespace dragoman::model::recurrent
