// Scaled dot-product attention over ragged batches, all heads at once: the contract.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// Head i owns columns i d_k up to (i + 1) d_k of Q and K, and likewise of V with d_v.
struct Heads {
  std::int64_t h = 1;
  double scale = 1;  // of the products: 1 / sqrt(d_k) in the paper
  Dropout dropout;   // of the weights, keyed by the query's row and the channel head * n_k + key
};

// What a decoding step attends over. Row r of the queries is one hypothesis that has produced lengths[r] tokens before
// this one; the keys of its step t lie in row ancestors[r, t] of step t of the cache.
struct CachedKeys {
  Array K, V;       // [steps, rows, h d_k] and [steps, rows, h d_v], appended to, never moved
  Array ancestors;  // int32 [rows, steps]
  Array lengths;    // int32 [rows]: the newest key stands at step lengths[r]
};

struct AttentionKernels {
  virtual ~AttentionKernels() = default;

  // O = softmax(scale Q K^T) V by sentence and head, with the keys that `reach` allows; a query that sees none gives
  // zeros. log_sums [R_q, h] (the logarithm of each row's softmax denominator) is saved for backward. `weights`, if
  // not absent, receives the softmax before dropout: for each sentence in turn [h, n_q, n_k], unseen keys 0.
  virtual void attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                         Array& O, Array& log_sums, Array& weights) const = 0;
  virtual void attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                                  const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                  Sink dV) const = 0;

  // One query a row, over the cache of the rows' own past (r > 0: its last r steps) ...
  virtual void attention_cached(const Array& Q, const CachedKeys& cache, std::int64_t r, const Heads& heads, Array& O,
                                Array& weights) const = 0;
  // ... or over the memory of the sentence that each row belongs to: int32 sentences [rows].
  // `weights`, if not absent, is [rows, h, longest], unseen keys 0.
  virtual void attention_memory(const Array& Q, const Array& K, const Array& V, const Segments& memory,
                                const Array& sentences, const Heads& heads, Array& O, Array& weights) const = 0;
};

}  // namespace dragoman
