// An affine map, x W + b.
#pragma once

#include "dragoman/ops/linear.h"
#include "dragoman/params/parameter.h"

namespace dragoman::nn {

using params::Parameter;
using params::ParameterVisitor;

struct Linear {
  Parameter W;  // [in, out]
  Parameter b;  // [out]; optional

  // activation(x W + b); by default there is no activation.
  Tensor operator()(const Tensor& x, const Activation& activation = {}) const {
    if (W.packed()) return ops::linear(x, W.packed(), b.tensor(), activation);
    return ops::linear(x, W.tensor(), b.tensor(), activation);
  }
};

}  // namespace dragoman::nn
