#include "dragoman/backend/attention.h"

#include "dragoman/backend/attention_checks.h"

namespace dragoman {

void AttentionKernels::attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                                 Array& O, Array& log_sums, Array& weights) const {
  check_heads("attention", Q, K, V, O, heads);
  check_batches("attention", Q, K, log_sums, reach, heads);
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
