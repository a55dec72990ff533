// Weight normalisation: the length of a weight vector is a parameter of its own.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// g v / |v| for a vector v [a] and its length g [1].
Tensor weight_norm(const Tensor& v, const Tensor& g);

}  // namespace dragoman::ops
