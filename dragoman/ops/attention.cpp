#include "dragoman/ops/attention.h"

#include <vector>

namespace dragoman::ops {

namespace {

// How many weights all sentences have together.
std::int64_t count_weights(Backend& on, const Reach& reach, std::int64_t h) {
  std::vector<std::int32_t> queries(reach.queries.B + 1), keys(reach.keys.B + 1);
  on.copy_out(reach.queries.offsets, queries.data());
  on.copy_out(reach.keys.offsets, keys.data());
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < reach.queries.B; ++b) {
    count += h * (queries[b + 1] - queries[b]) * static_cast<std::int64_t>(keys[b + 1] - keys[b]);
  }
  return count;
}

}  // namespace

Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, const Heads& heads,
                 Array* weights) {
  require<ShapeError>(heads.h > 0, "attention with ", heads.h, " heads");
  const auto [R_q, width_q] = Q.dims<2>();
  const auto [R_k, width_k] = K.dims<2>();
  const auto [R_v, width_v] = V.dims<2>();
  require<ShapeError>(width_q == width_k && R_k == R_v && width_k % heads.h == 0 && width_v % heads.h == 0,
                      "attention with ", heads.h, " heads: Q is ", Q.shape(), ", K ", K.shape(), ", V ", V.shape());
  require<ShapeError>(reach.queries.R == R_q && reach.keys.R == R_k && reach.queries.B == reach.keys.B,
                      "attention: Q is ", Q.shape(), " and K ", K.shape(), ", but the batches have ", reach.queries.R,
                      " and ", reach.keys.R, " rows in ", reach.queries.B, " and ", reach.keys.B, " sentences");
  Backend& on = Q.backend();
  Array O = on.empty({R_q, width_v}, Q.array().dtype()),
        log_sums = on.empty({R_q, heads.h}, statistics_of(Q.array().dtype()));
  Array unseen;
  if (weights != nullptr) *weights = on.empty({count_weights(on, reach, heads.h)}, statistics_of(Q.array().dtype()));
  on.attention(Q.array(), K.array(), V.array(), reach, heads, O, log_sums, weights != nullptr ? *weights : unseen);

  return record(
      O, {Q, K, V},
      [&on, Q = Q.array(), K = K.array(), V = V.array(), O, log_sums, reach, heads](const Array& dO, Sinks& d) {
        const auto [dQ, dK, dV] = d.first<3>();
        on.attention_backward(dO, Q, K, V, O, log_sums, reach, heads, dQ, dK, dV);
      });
}

}  // namespace dragoman::ops
