#include "dragoman/backend/additive_attention.h"

#include "dragoman/backend/attention_checks.h"

namespace dragoman {

namespace {

void check_additive(const char* op, const Array& Q, const Array& K, const Array& V, const Array& v, const Array& O,
                    const Heads& heads) {
  check_heads(op, Q, K, V, O, heads);
  require<ShapeError>(v.rows() == heads.h && v.count() == Q.cols() && v.row_stride() == v.cols(), op, " with ", heads.h,
                      " heads: Q is ", Q.shape(), ", v ", v.shape());
}

}  // namespace

void AdditiveAttentionKernels::additive_attention(const Array& Q, const Array& K, const Array& V, const Array& v,
                                                  const Reach& reach, const Heads& heads, Array& O, Array& log_sums,
                                                  Array& weights) const {
  check_additive("additive_attention", Q, K, V, v, O, heads);
  check_batches("additive_attention", Q, K, log_sums, reach, heads);
  if (OperationCounter* counter = operations()) counter->add(seen_pairs(reach) * (Q.cols() + V.cols()));
  do_additive_attention(Q, K, V, v, reach, heads, O, log_sums, weights);
}

void AdditiveAttentionKernels::additive_attention_backward(const Array& dO, const Array& Q, const Array& K,
                                                           const Array& V, const Array& v, const Array& O,
                                                           const Array& log_sums, const Reach& reach,
                                                           const Heads& heads, Sink dQ, Sink dK, Sink dV,
                                                           Sink dv) const {
  if (!dQ.wanted() && !dK.wanted() && !dV.wanted() && !dv.wanted()) return;
  check_additive("additive_attention_backward", Q, K, V, v, O, heads);
  check_batches("additive_attention_backward", Q, K, log_sums, reach, heads);
  require<ShapeError>(same_extents(dO, O) && fits(dQ, Q) && fits(dK, K) && fits(dV, V) && fits(dv, v),
                      "additive_attention_backward: Q is ", Q.shape(), ", K ", K.shape(), ", V ", V.shape(), ", v ",
                      v.shape(), ", dO ", dO.shape(), ", dQ ", dQ.array.shape(), ", dK ", dK.array.shape(), ", dV ",
                      dV.array.shape(), ", dv ", dv.array.shape());
  if (OperationCounter* counter = operations()) {
    // The scores and dO V^T; then one for each channel of each gradient, from the weights or that of the scores.
    std::int64_t columns = Q.cols() + V.cols() + (dv.wanted() ? Q.cols() : 0);
    for (const Sink& sink : {dQ, dK, dV}) columns += sink.wanted() ? sink.array.cols() : 0;
    counter->add(seen_pairs(reach) * columns);
  }
  do_additive_attention_backward(dO, Q, K, V, v, O, log_sums, reach, heads, dQ, dK, dV, dv);
}

void AdditiveAttentionKernels::additive_attention_cached(const Array& Q, const Array& K, const Array& V, const Array& v,
                                                         const CachedKeys& cache, const Mask& mask, const Heads& heads,
                                                         Array& O, Array& weights) const {
  check_additive("additive_attention_cached", Q, K, V, v, O, heads);
  require<ShapeError>(mask.kind == Mask::Kind::kCausal, "additive_attention_cached: the mask must be causal.");
  check_cache("additive_attention_cached", Q, K, V, cache, heads, weights);
  do_additive_attention_cached(Q, K, V, v, cache, mask, heads, O, weights);
}

void AdditiveAttentionKernels::additive_attention_memory(const Array& Q, const Array& K, const Array& V, const Array& v,
                                                         const MemoryRows& memory, const Heads& heads, Array& O,
                                                         Array& weights) const {
  check_additive("additive_attention_memory", Q, K, V, v, O, heads);
  check_memory_rows("additive_attention_memory", Q, memory, heads, weights);
  do_additive_attention_memory(Q, K, V, v, memory, heads, O, weights);
}

}  // namespace dragoman
