#include "dragoman/model/transformer/encoder.h"

namespace dragoman::model::transformer {

StackOutput Encoder::operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const {
  const Reach reach{segments, segments, stack.mask};
  const auto self = [&](const Layer& layer, std::size_t, const Tensor& y) { return layer.self(y, reach, pass); };
  const auto no_cross_attention = [](const Layer&, std::size_t, const Tensor& y) { return y; };
  return stack.run(embedded, segments, pass, true, self, no_cross_attention);
}

void Encoder::parameters(params::ParameterVisitor& visit) {
  stack.layer_parameters(visit);
  stack.norm_parameters(visit);
}

}  // namespace dragoman::model::transformer
