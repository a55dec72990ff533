// Scaled dot-product attention of a ragged batch, all heads at once, fused. Its definition, equation (1) of the paper,
// is in nn/attention.cpp.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// Returns the concatenated heads [R_q, h d_v] for Q [R_q, h d_k], K [R_k, h d_k] and V [R_k, h d_v]. If `weights` is
// given, the same kernel also writes the softmax (before dropout) to an Array in the arena: [h, n_q, n_k] for each
// sentence, one after the other.
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, const Heads& heads,
                 Array* weights = nullptr);

// The number of attention weights of all sentences and h heads together.
std::int64_t count_weights(Backend& on, const Reach& reach, std::int64_t h);

}  // namespace dragoman::ops
