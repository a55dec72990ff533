// The contract of attention over a memory, one query per sentence at a time: the attention of a recurrent decoder, in
// which the query of a step depends on the result of the step before. Soft attention is a weighted mean of the values;
// hard attention chooses one of them.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/attention.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/sink.h"
#include "dragoman/base/random.h"

namespace dragoman {

// How hard attention chooses a key.
struct KeyChoice {
  enum class Kind : std::uint8_t {
    kLargest,  // the key with the largest weight; the first of equal ones
    kDrawn,    // a key drawn with the weights as probabilities
    kGumbel,   // the key with the largest log weight + Gumbel noise; backward uses a softmax of these sums
  };
  Kind kind = Kind::kLargest;
  // The random numbers of a row depend on its sentence s, its position p and the update. Key j of a row has the word
  // j % 4 of philox({j / 4, p, s, update}, key); its random number is u = (word + 1) / 2^32, in (0, 1]. kDrawn uses the
  // number of key 0. kGumbel uses the number of each key, limited to at most 1 - 2^-33: noise = -log(-log u). A
  // sentence uses soft attention instead if its own number, made of word 0 of philox({0xFFFFFFFF, 0, s, update}, key)
  // in the same way, is at most soft_share.
  PhiloxKey key{};
  std::uint32_t update = 0;
  double soft_share = 0;     // kDrawn only
  double temperature = 1;    // kGumbel only
  Array sentence, position;  // int32 [n], of each row; not read by kLargest
};

// The gradient that hard attention adds to the scores e of a row, with the weights alpha = softmax(e) and the chosen
// key i: the part of REINFORCE, credit (1[j = i] - alpha_j), and that of the entropy H = -sum alpha log alpha, entropy
// alpha_j (log alpha_j + H). Rows that use soft attention get neither.
struct HardCredit {
  Array credit;  // [n] in accumulation_dtype(); optional
  double entropy = 0;
};

// Row r of the queries has the keys and values in the rows [first[r], first[r] + count[r]) of the memory; see
// MemoryRows. `weights` is [n, w] with w >= memory.longest in accumulation_dtype(); the weight of key j is in column j,
// and the columns from count[r] on are 0. Rows are independent: the bits of a row depend on no other row, nor on w.
class MemoryAttentionKernels {
 public:
  virtual ~MemoryAttentionKernels() = default;

  // weights = softmax of the scores of the keys of each row:
  //   v absent  score = scale q . k                   for q [n, a] and K [m, a]
  //   v [a]     score = scale v . tanh(q + k)
  void memory_weights(const Array& q, const Array& K, const Array& v, double scale, const MemoryRows& memory,
                      Array& weights) const;
  // No two rows may have a memory row in common. dv is [a] in its own element type. d_weights is [n, w], read only up
  // to count[r].
  void memory_weights_backward(const Array& d_weights, const Array& weights, const Array& q, const Array& K,
                               const Array& v, double scale, const MemoryRows& memory, Sink dq, Sink dK, Sink dv) const;

  // O = sum of weights_j V_j over the keys j of each row, [n, d_v].
  void memory_mix(const Array& weights, const Array& V, const MemoryRows& memory, Array& O) const;
  // No two rows may have a memory row in common.
  void memory_mix_backward(const Array& dO, const Array& weights, const Array& V, const MemoryRows& memory,
                           Sink d_weights, Sink dV) const;

  // Hard attention: chosen [n], int32, is the number of the chosen key of each row, or -1 if the row uses soft
  // attention. For kGumbel, `relaxed` [n, w] receives softmax((log weights + noise) / temperature); otherwise it is
  // absent. kDrawn takes the first key whose cumulative weight, summed in double, is at least its random number; the
  // last key whose weight is not 0 if rounding leaves none.
  void choose_keys(const Array& weights, const MemoryRows& memory, const KeyChoice& choice, Array& chosen,
                   Array& relaxed) const;
  // O[r] = V of the chosen key, or the weighted mean where chosen[r] is -1.
  void chosen_mix(const Array& weights, const Array& chosen, const Array& V, const MemoryRows& memory, Array& O) const;
  // dV is the gradient for the keys that were used. d_weights is such that memory_weights_backward passes these
  // gradients to the scores: for a drawn key those of `credit`; where chosen is -1, that of memory_mix; for kGumbel
  // (`relaxed` is given), that of the mean with `relaxed` in place of the weights, through its softmax. No two rows may
  // have a memory row in common.
  void chosen_mix_backward(const Array& dO, const Array& weights, const Array& chosen, const Array& relaxed,
                           double temperature, const HardCredit& credit, const Array& V, const MemoryRows& memory,
                           Sink d_weights, Sink dV) const;

 private:
  // The sum of memory.count. Waits for a copy from the device; for counting operations.
  std::int64_t seen_keys(const MemoryRows& memory) const;

  virtual OperationCounter* operations() const = 0;  // null if nothing is counted
  virtual void copy_out(const Array& from, void* host) const = 0;
  virtual void do_memory_weights(const Array& q, const Array& K, const Array& v, double scale, const MemoryRows& memory,
                                 Array& weights) const = 0;
  virtual void do_memory_weights_backward(const Array& d_weights, const Array& weights, const Array& q, const Array& K,
                                          const Array& v, double scale, const MemoryRows& memory, Sink dq, Sink dK,
                                          Sink dv) const = 0;
  virtual void do_memory_mix(const Array& weights, const Array& V, const MemoryRows& memory, Array& O) const = 0;
  virtual void do_memory_mix_backward(const Array& dO, const Array& weights, const Array& V, const MemoryRows& memory,
                                      Sink d_weights, Sink dV) const = 0;
  virtual void do_choose_keys(const Array& weights, const MemoryRows& memory, const KeyChoice& choice, Array& chosen,
                              Array& relaxed) const = 0;
  virtual void do_chosen_mix(const Array& weights, const Array& chosen, const Array& V, const MemoryRows& memory,
                             Array& O) const = 0;
  virtual void do_chosen_mix_backward(const Array& dO, const Array& weights, const Array& chosen, const Array& relaxed,
                                      double temperature, const HardCredit& credit, const Array& V,
                                      const MemoryRows& memory, Sink d_weights, Sink dV) const = 0;
};

}  // namespace dragoman
