// Weight normalisation: the length of each weight vector is a parameter of its own.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// g v / |v|. For a matrix v [in, out], |v| is the length of each column and g is [out]. For a vector v [a], g is [1].
Tensor weight_norm(const Tensor& v, const Tensor& g);

}  // namespace dragoman::ops
