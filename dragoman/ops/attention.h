// Scaled dot-product attention of a ragged batch, all heads at once, fused. Its definition, equation (1) of the paper,
// is in nn/attention.cpp.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// The concatenated heads [R_q, h d_v] of Q [R_q, h d_k], K [R_k, h d_k] and V [R_k, h d_v]. With `weights`, the same
// kernel also writes out the softmax (before dropout), in memory of the arena: for each sentence [h, n_q, n_k].
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, const Heads& heads,
                 Array* weights = nullptr);

}  // namespace dragoman::ops
