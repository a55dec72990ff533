#include "dragoman/ops/attention.h"

#include <vector>

namespace dragoman::ops {

std::int64_t count_weights(Backend& on, const Reach& reach, std::int64_t h) {
  require<ShapeError>(reach.queries.B == reach.keys.B, "attention: queries of ", reach.queries.B,
                      " sentences and keys of ", reach.keys.B);
  std::vector<std::int32_t> queries(reach.queries.B + 1), keys(reach.keys.B + 1);
  on.copy_out(reach.queries.offsets, queries.data());
  on.copy_out(reach.keys.offsets, keys.data());
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < reach.queries.B; ++b) {
    count += h * (queries[b + 1] - queries[b]) * static_cast<std::int64_t>(keys[b + 1] - keys[b]);
  }
  return count;
}

Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, const Heads& heads,
                 Array* weights) {
  require<ShapeError>(heads.h > 0, "attention: there must be at least one head, not ", heads.h);
  Backend& on = Q.backend();
  Array O = on.empty({Q.rows(), V.dim(-1)}, Q.array().dtype()),
        log_sums = on.empty({Q.rows(), heads.h}, accumulation_dtype(Q.array().dtype()));
  Array no_weights;
  if (weights != nullptr)
    *weights = on.empty({count_weights(on, reach, heads.h)}, accumulation_dtype(Q.array().dtype()));
  on.attention(Q.array(), K.array(), V.array(), reach, heads, O, log_sums, weights != nullptr ? *weights : no_weights);

  return record(
      O, {Q, K, V},
      [&on, Q = Q.array(), K = K.array(), V = V.array(), O, log_sums, reach, heads](const Array& dO, Sinks& d) {
        const auto [dQ, dK, dV] = d.first<3>();
        on.attention_backward(dO, Q, K, V, O, log_sums, reach, heads, dQ, dK, dV);
      });
}

}  // namespace dragoman::ops
