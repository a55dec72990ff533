// Layer normalisation over the features of one token.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// gamma (x - mean) / sqrt(variance + eps) + beta, with the mean and variance of each row.
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps);

}  // namespace dragoman::ops
