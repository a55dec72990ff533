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

// The past of the hypotheses of a decoding step. Row r of the queries is a hypothesis that has lengths[r] tokens before
// this one; keys and values of its token t lie in cell cells[r, t].
struct CachedKeys {
  Array K, V;   // [cells, h d_k] and [cells, h d_v]: a cell is written once, hypotheses share those of their ancestors
  Array cells;  // int32 [rows, steps]
  Array lengths;  // int32 [rows]
};

// The source sentences of those hypotheses: row r looks at rows first[r] up to first[r] + count[r] of the memory.
struct MemoryRows {
  Array first, count;        // int32 [rows]
  std::int64_t longest = 0;  // the largest count
};

class AttentionKernels {
 public:
  virtual ~AttentionKernels() = default;

  // O = softmax(scale Q K^T) V by sentence and head, with the keys that `reach` allows; a query that sees none gives
  // zeros. log_sums [R_q, h] (the logarithm of each row's softmax denominator) is saved for backward. `weights`, if
  // not absent, receives the softmax before dropout: for each sentence in turn [h, n_q, n_k], unseen keys 0.
  void attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads, Array& O,
                 Array& log_sums, Array& weights) const;
  void attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                          const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                          Sink dV) const;

  // A decoding step, one query a row. Puts the keys and values of the new tokens, K and V [rows, ...], into their
  // cells, then attends over each row's own past, the new token included (r > 0: over the last r tokens of it). ...
  void attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache, std::int64_t r,
                        const Heads& heads, Array& O, Array& weights) const;
  // ... or over the memory. On the CPU both give the bits that `attention` gives for the whole sentence.
  // `weights`, if not absent, is [rows, h, steps] or [rows, h, longest]; unseen keys are 0.
  void attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory, const Heads& heads,
                        Array& O, Array& weights) const;

 private:
  virtual void do_attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                            Array& O, Array& log_sums, Array& weights) const = 0;
  virtual void do_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                                     const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                     Sink dV) const = 0;
  virtual void do_attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache,
                                   std::int64_t r, const Heads& heads, Array& O, Array& weights) const = 0;
  virtual void do_attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory,
                                   const Heads& heads, Array& O, Array& weights) const = 0;
};

}  // namespace dragoman
