// An affine map, x W + b.
#pragma once

#include "dragoman/nn/parameters.h"
#include "dragoman/ops/linear.h"

namespace dragoman::nn {

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
