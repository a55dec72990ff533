// The affine map x W + b, optionally followed by ReLU and dropout, as in a feed-forward network.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// activation(x W + b) for x [R, in], W [in, out] and an optional b [out].
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b, const Activation& activation = {});

// The same with packed weights, for inference: they have no gradient.
Tensor linear(const Tensor& x, const PackedMatrix& W, const Tensor& b, const Activation& activation = {});

// The same, composed of simple ops; tests compare with it.
namespace plain {
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b, const Activation& activation = {});
}

}  // namespace dragoman::ops
