// The contract of additive attention over ragged batches, all heads at once, for whole sentences and for single
// decoding steps: the attention of attention.h with the score v . tanh(q + k) in place of a scaled product.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/attention.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// v is [h, d_k] in accumulation_dtype(): row i scores the keys of head i. Heads::scale is not read. Everything else has
// the shapes and the meaning that it has in AttentionKernels.
class AdditiveAttentionKernels {
 public:
  virtual ~AdditiveAttentionKernels() = default;

  // O = softmax(S) V for each sentence and head, with S_ij = sum over c of v_c tanh(Q_ic + K_jc), over the keys that
  // `reach` allows. A query that sees no key gives zeros. log_sums [R_q, h] is saved for backward. `weights` is
  // optional: it receives the softmax before dropout.
  void additive_attention(const Array& Q, const Array& K, const Array& V, const Array& v, const Reach& reach,
                          const Heads& heads, Array& O, Array& log_sums, Array& weights) const;
  // With T = tanh(Q_i + K_j) and the gradient dS of the scores: dT = dS v (1 - T^2), dQ_i = sum of dT over j, dK_j =
  // sum of dT over i, dv = sum of dS T over both. T is computed again.
  void additive_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& v,
                                   const Array& O, const Array& log_sums, const Reach& reach, const Heads& heads,
                                   Sink dQ, Sink dK, Sink dV, Sink dv) const;

  // The decoding steps of self-attention and of encoder-decoder attention, as attention_cached and attention_memory
  // define them. The mask must be causal. On the CPU they give the same bits as additive_attention does for the whole
  // sentence.
  void additive_attention_cached(const Array& Q, const Array& K, const Array& V, const Array& v,
                                 const CachedKeys& cache, const Mask& mask, const Heads& heads, Array& O,
                                 Array& weights) const;
  void additive_attention_memory(const Array& Q, const Array& K, const Array& V, const Array& v,
                                 const MemoryRows& memory, const Heads& heads, Array& O, Array& weights) const;

 private:
  virtual OperationCounter* operations() const = 0;  // null if nothing is counted
  virtual void do_additive_attention(const Array& Q, const Array& K, const Array& V, const Array& v, const Reach& reach,
                                     const Heads& heads, Array& O, Array& log_sums, Array& weights) const = 0;
  virtual void do_additive_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V,
                                              const Array& v, const Array& O, const Array& log_sums, const Reach& reach,
                                              const Heads& heads, Sink dQ, Sink dK, Sink dV, Sink dv) const = 0;
  virtual void do_additive_attention_cached(const Array& Q, const Array& K, const Array& V, const Array& v,
                                            const CachedKeys& cache, const Mask& mask, const Heads& heads, Array& O,
                                            Array& weights) const = 0;
  virtual void do_additive_attention_memory(const Array& Q, const Array& K, const Array& V, const Array& v,
                                            const MemoryRows& memory, const Heads& heads, Array& O,
                                            Array& weights) const = 0;
};

}  // namespace dragoman
