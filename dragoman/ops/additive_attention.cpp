#include "dragoman/ops/additive_attention.h"

#include "dragoman/ops/attention.h"

namespace dragoman::ops {

Tensor additive_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& v, const Reach& reach,
                          const Heads& heads, Array* weights) {
  require<ShapeError>(heads.h > 0, "additive_attention: there must be at least one head, not ", heads.h);
  Backend& on = Q.backend();
  const DType sums = accumulation_dtype(Q.array().dtype());
  Array O = on.empty({Q.rows(), V.dim(-1)}, Q.array().dtype()), log_sums = on.empty({Q.rows(), heads.h}, sums);
  Array no_weights;
  if (weights != nullptr) *weights = on.empty({count_weights(on, reach, heads.h)}, sums);
  on.additive_attention(Q.array(), K.array(), V.array(), v.array(), reach, heads, O, log_sums,
                        weights != nullptr ? *weights : no_weights);

  return record(O, {Q, K, V, v},
                [&on, Q = Q.array(), K = K.array(), V = V.array(), v = v.array(), O, log_sums, reach, heads](
                    const Array& dO, Sinks& d) {
                  const auto [dQ, dK, dV, dv] = d.first<4>();
                  on.additive_attention_backward(dO, Q, K, V, v, O, log_sums, reach, heads, dQ, dK, dV, dv);
                });
}

}  // namespace dragoman::ops
