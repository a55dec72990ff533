// Softmax and log-softmax over the last axis, and the mask that hides keys from queries.
#pragma once

#include "dragoman/array/segments.h"
#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// x [n_q, n_k] with -infinity wherever query i may not see key j.
Tensor masked(const Tensor& x, const Mask& mask);
// Rows sum to one; a row of -infinity gives zeros.
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);

}  // namespace dragoman::ops
