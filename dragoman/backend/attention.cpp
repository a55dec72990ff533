#include "dragoman/backend/attention.h"

#include <algorithm>

#include "dragoman/backend/attention_checks.h"

namespace dragoman {

namespace {

const std::int32_t* offsets_on_host(const Segments& segments) {
  if (segments.host_offsets != nullptr) return segments.host_offsets;
  require<DeviceError>(segments.offsets.device().kind == Device::Kind::kCpu,
                       "attention: to count its operations, the lengths of the sentences must be in host memory");
  return segments.offsets.data<std::int32_t>();
}

}  // namespace

std::int64_t seen_pairs(const Reach& reach) {
  const std::int32_t *queries = offsets_on_host(reach.queries), *keys = offsets_on_host(reach.keys);
  std::int64_t pairs = 0;
  for (std::int64_t b = 0; b < reach.queries.B; ++b) {
    const std::int64_t n_q = queries[b + 1] - queries[b], n_k = keys[b + 1] - keys[b];
    for (std::int64_t i = 0; i < n_q; ++i) {
      pairs += std::max<std::int64_t>(0, reach.mask.end_key(i, n_k) - reach.mask.first_key(i));
    }
  }
  return pairs;
}

void AttentionKernels::attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                                 Array& O, Array& log_sums, Array& weights) const {
  check_heads("attention", Q, K, V, O, heads);
  check_batches("attention", Q, K, log_sums, reach, heads);
  if (OperationCounter* counter = operations()) counter->add(seen_pairs(reach) * (Q.cols() + V.cols()));
  do_attention(Q, K, V, reach, heads, O, log_sums, weights);
}

void AttentionKernels::attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V,
                                          const Array& O, const Array& log_sums, const Reach& reach, const Heads& heads,
                                          Sink dQ, Sink dK, Sink dV) const {
  check_heads("attention_backward", Q, K, V, O, heads);
  check_batches("attention_backward", Q, K, log_sums, reach, heads);
  require<ShapeError>(same_extents(dO, O) && fits(dQ, Q) && fits(dK, K) && fits(dV, V), "attention_backward: Q is ",
                      Q.shape(), ", K ", K.shape(), ", V ", V.shape(), ", dO ", dO.shape(), ", dQ ", dQ.array.shape(),
                      ", dK ", dK.array.shape(), ", dV ", dV.array.shape());
  if (OperationCounter* counter = operations()) {
    // Q K^T and dO V^T; then the gradients, from the weights and from the gradient of the scores.
    std::int64_t columns = Q.cols() + V.cols();
    for (const Sink& sink : {dQ, dK, dV}) columns += sink.wanted() ? sink.array.cols() : 0;
    counter->add(seen_pairs(reach) * columns);
  }
  do_attention_backward(dO, Q, K, V, O, log_sums, reach, heads, dQ, dK, dV);
}

void AttentionKernels::attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache,
                                        const Mask& mask, const Heads& heads, Array& O, Array& weights) const {
  check_heads("attention_cached", Q, K, V, O, heads);
  require<ShapeError>(mask.kind == Mask::Kind::kCausal, "attention_cached: the mask must be causal.");
  check_cache("attention_cached", Q, K, V, cache, heads, weights);
  do_attention_cached(Q, K, V, cache, mask, heads, O, weights);
}

void AttentionKernels::attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory,
                                        const Heads& heads, Array& O, Array& weights) const {
  check_heads("attention_memory", Q, K, V, O, heads);
  check_memory_rows("attention_memory", Q, memory, heads, weights);
  do_attention_memory(Q, K, V, memory, heads, O, weights);
}

}  // namespace dragoman
