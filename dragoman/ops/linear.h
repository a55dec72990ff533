// x W + b, with ReLU and dropout where a feed-forward network wants them.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// activation(x W + b) for x [R, in], W [in, out], b [out] or missing.
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b, const Activation& activation = {});

// The same by packed weights, through which no gradient flows.
Tensor linear(const Tensor& x, const PackedMatrix& W, const Tensor& b, const Activation& activation = {});

namespace plain {
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b, const Activation& activation = {});
}

}  // namespace dragoman::ops
