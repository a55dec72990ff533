#include "dragoman/nn/convolution.h"

#include <cmath>

#include "dragoman/ops/convolution.h"

namespace dragoman::nn {

NormedLinear::NormedLinear(std::int64_t in, std::int64_t out, double gain)
    : W({in, out}, params::Initial::normal(std::sqrt(gain / static_cast<double>(in)))),
      b({out}, params::Initial::constant(0)) {}

void NormedLinear::parameters(params::ParameterVisitor& visit) {
  visit("W", W);
  visit("b", b);
}

// The variance of the input is kept: a gated linear unit halves the standard deviation, hence the factor 4, and dropout
// divides the variance by 1 - P_drop.
GatedConvolution::GatedConvolution(std::int64_t in, std::int64_t c, const Taps& taps_, double P_drop)
    : taps(taps_), product(taps_.k * in, 2 * c, 4 * (1 - P_drop)) {}

Tensor GatedConvolution::operator()(const Tensor& x, const Segments& segments) const {
  return ops::glu(product(ops::unfold_rows(x, segments, taps)));
}

Tensor GatedConvolution::step(const Tensor& x, const Array& cells, const Array& lengths, const Array& stored) const {
  if (!stored) return ops::glu(product(x));
  Backend& on = x.backend();
  Array unfolded = on.empty({x.rows(), taps.k * x.dim(-1)}, x.array().dtype());
  on.unfold_cells(x.array(), cells, lengths, taps, stored, unfolded);
  return ops::glu(product(Tensor(on, unfolded)));
}

void GatedConvolution::parameters(params::ParameterVisitor& visit) { product.parameters(visit); }

}  // namespace dragoman::nn
