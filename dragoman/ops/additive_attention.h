// Additive attention of a ragged batch, all heads at once. Its definition is nn::additive_weights.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// The same as ops::attention, with the scores v_i . tanh(q + k) of head i, for v [h, d_k].
Tensor additive_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& v, const Reach& reach,
                          const Heads& heads, Array* weights = nullptr);

}  // namespace dragoman::ops
