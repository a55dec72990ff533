// The contract of the attention kernels: scaled dot-product attention (Equation 1) over ragged batches, all heads at
// once, for whole sentences and for single decoding steps.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// Head i owns columns [i d_k, (i + 1) d_k) of Q and K, and columns [i d_v, (i + 1) d_v) of V and O.
struct Heads {
  std::int64_t h = 1;
  double scale = 1;  // factor of the products Q K^T: 1 / sqrt(d_k) in the paper
  Dropout dropout;   // of the weights: the weight of key j is channel head * n_k + j of the query's row
};

// The cache of keys and values from earlier decoding steps. Row r of the queries is a hypothesis with lengths[r] tokens
// before the current one. The key and value of its token t lie in row cells[r, t] of K and V; such a row is a cell.
struct CachedKeys {
  Array K, V;     // [cells, h d_k] and [cells, h d_v]; a cell is written once, hypotheses share the cells of ancestors
  Array cells;    // int32 [rows, steps]
  Array lengths;  // int32 [rows]
};

// The source sentences of the hypotheses: row r attends to rows [first[r], first[r] + count[r]) of the memory.
struct MemoryRows {
  Array first, count;        // int32 [rows]
  std::int64_t longest = 0;  // the largest count
};

// For counting operations: the number of pairs of a query and a key that it sees, in all sentences. Throws a
// DeviceError if the lengths of the sentences are not in host memory.
std::int64_t seen_pairs(const Reach& reach);

class AttentionKernels {
 public:
  virtual ~AttentionKernels() = default;

  // O = softmax(scale Q K^T) V for each sentence and head, over the keys that `reach` allows. A query that sees no key
  // gives zeros. log_sums [R_q, h], the logarithm of each row's softmax denominator, is saved for backward.
  // `weights` is optional: it receives the softmax before dropout, [h, n_q, n_k] for one sentence after the other, with
  // 0 for keys that a query does not see.
  void attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads, Array& O,
                 Array& log_sums, Array& weights) const;
  void attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                          const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                          Sink dV) const;

  // A decoding step of self-attention, with one query per row. Writes the new tokens' keys and values, K [rows, h d_k]
  // and V [rows, h d_v], into their cells. Then each row attends to those of its own tokens, the new one included, that
  // the mask, which must be causal, allows. `weights` is optional: [rows, h, steps], 0 for unseen keys.
  // On the CPU this function and attention_memory give the same bits as `attention` does for the whole sentence.
  void attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache, const Mask& mask,
                        const Heads& heads, Array& O, Array& weights) const;
  // A decoding step of encoder-decoder attention: each row attends to its rows of the memory. `weights` is optional:
  // [rows, h, longest], 0 for unseen keys.
  void attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory, const Heads& heads,
                        Array& O, Array& weights) const;

 private:
  virtual OperationCounter* operations() const = 0;  // null if nothing is counted
  virtual void do_attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                            Array& O, Array& log_sums, Array& weights) const = 0;
  virtual void do_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                                     const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                     Sink dV) const = 0;
  virtual void do_attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache,
                                   const Mask& mask, const Heads& heads, Array& O, Array& weights) const = 0;
  virtual void do_attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory,
                                   const Heads& heads, Array& O, Array& weights) const = 0;
};

}  // namespace dragoman
