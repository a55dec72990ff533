// An affine map.
#pragma once

#include "dragoman/nn/parameters.h"
#include "dragoman/ops/linear.h"

namespace dragoman::nn {

struct Linear {
  Parameter W;  // [in, out]
  Parameter b;  // [out], or missing

  // x W + b, then ReLU and dropout if asked for.
  Tensor operator()(const Tensor& x, const Activation& activation = {}) const {
    if (W.packed()) return ops::linear(x, W.packed(), b.tensor(), activation);
    return ops::linear(x, W.tensor(), b.tensor(), activation);
  }
};

}  // namespace dragoman::nn
