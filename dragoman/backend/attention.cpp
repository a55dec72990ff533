#include "dragoman/backend/attention.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

namespace {

void check_heads(const char* op, const Array& Q, const Array& K, const Array& V, const Array& O, const Heads& heads) {
  const std::int64_t h = heads.h;
  require<ShapeError>(h > 0 && Q.cols() == K.cols() && K.rows() == V.rows() && Q.cols() % h == 0 && V.cols() % h == 0,
                      op, " with ", h, " heads: Q is ", Q.shape(), ", K ", K.shape(), ", V ", V.shape());
  require<ShapeError>(O.rows() == Q.rows() && O.cols() == V.cols(), op, ": Q is ", Q.shape(), ", V ", V.shape(), ", O ",
                      O.shape());
}

void check_batches(const char* op, const Array& Q, const Array& K, const Array& log_sums, const Reach& reach,
                   const Heads& heads) {
  require<ShapeError>(reach.queries.R == Q.rows() && reach.keys.R == K.rows() && reach.queries.B == reach.keys.B, op,
                      ": Q is ", Q.shape(), " and K ", K.shape(), ", but the batches have ", reach.queries.R, " and ",
                      reach.keys.R, " rows in ", reach.queries.B, " and ", reach.keys.B, " sentences");
  require<ShapeError>(log_sums.rows() == Q.rows() && log_sums.cols() == heads.h, op, " with ", heads.h, " heads: Q is ",
                      Q.shape(), ", log_sums ", log_sums.shape());
}

}  // namespace

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
  require<ShapeError>(Q.rows() == K.rows() && Q.rows() == cache.cells.rows() && Q.rows() == cache.lengths.count() &&
                          K.cols() == cache.K.cols() && V.cols() == cache.V.cols() &&
                          (!weights || weights.count() == Q.rows() * heads.h * cache.cells.cols()),
                      "attention_cached: Q is ", Q.shape(), ", K ", K.shape(), ", V ", V.shape(), ", cells ",
                      cache.cells.shape(), ", cached keys ", cache.K.shape(), ", weights ", weights.shape());
  do_attention_cached(Q, K, V, cache, mask, heads, O, weights);
}

void AttentionKernels::attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory,
                                        const Heads& heads, Array& O, Array& weights) const {
  check_heads("attention_memory", Q, K, V, O, heads);
  require<ShapeError>(Q.rows() == memory.first.count() && Q.rows() == memory.count.count() &&
                          (!weights || weights.count() == Q.rows() * heads.h * memory.longest),
                      "attention_memory: Q is ", Q.shape(), ", first ", memory.first.shape(), ", count ",
                      memory.count.shape(), ", the longest ", memory.longest, ", weights ", weights.shape());
  do_attention_memory(Q, K, V, memory, heads, O, weights);
}

}  // namespace dragoman
