#include "dragoman/model/convolutional/residual_convolution.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/convolution.h"

namespace dragoman::model::convolutional {

ResidualConvolution::ResidualConvolution(std::int64_t in, const LayerSize& size, const Taps& taps, double P_drop_)
    : convolution(in, size.channels, taps, P_drop_), P_drop(P_drop_) {
  if (in != size.channels) residual = nn::NormedLinear(in, size.channels, 1);
}

Tensor ResidualConvolution::convolve(const Tensor& x, const Segments& segments, nn::Pass& pass) const {
  return convolution(ops::dropout(x, segments, pass.dropout(P_drop)), segments);
}

Tensor ResidualConvolution::add_residual(const Tensor& y, const Tensor& x) const {
  return ops::scaled_sum(y, residual ? residual(x) : x, kRootHalf);
}

void ResidualConvolution::parameters(params::ParameterVisitor& visit) {
  visit.inside("conv", convolution);
  visit.inside("residual", residual);
}

}  // namespace dragoman::model::convolutional
