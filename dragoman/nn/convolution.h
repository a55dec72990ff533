// Weight-normalised layers: an affine map, and a convolution over the rows of a sentence with a gated linear unit.
#pragma once

#include "dragoman/backend/convolution.h"
#include "dragoman/nn/pass.h"
#include "dragoman/ops/linear.h"
#include "dragoman/params/parameter.h"

namespace dragoman::nn {

// x W + b, where W is weight-normalised. The initial weights are normal, with a variance of gain / in, and b is 0.
struct NormedLinear {
  params::NormedParameter W;  // [in, out]
  params::Parameter b;        // [out]

  NormedLinear() = default;
  NormedLinear(std::int64_t in, std::int64_t out, double gain);

  explicit operator bool() const { return static_cast<bool>(W); }
  std::int64_t out() const { return b.shape().count(); }
  Tensor operator()(const Tensor& x) const {
    if (W.packed()) return ops::linear(x, W.packed(), b.tensor());
    return ops::linear(x, W.weights(), b.tensor());
  }

  void parameters(params::ParameterVisitor& visit);
};

// GLU(convolution of x) for x [R, in]: [R, c]. The product makes 2 c columns from k rows of x side by side.
struct GatedConvolution {
  Taps taps;
  NormedLinear product;  // [k in, 2 c]

  GatedConvolution() = default;
  // P_drop is the dropout of x, for which the initial weights make up.
  GatedConvolution(std::int64_t in, std::int64_t c, const Taps& taps_, double P_drop);

  Tensor operator()(const Tensor& x, const Segments& segments) const;
  // A decoding step: row i of x is the input of the new token of hypothesis i. `stored` [cells, in] keeps the inputs of
  // the tokens before it (see ConvolutionKernels::unfold_cells); absent if there is a single tap, which needs none.
  Tensor step(const Tensor& x, const Array& cells, const Array& lengths, const Array& stored) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::nn
