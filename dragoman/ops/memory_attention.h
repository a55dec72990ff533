// Attention over a memory, one query per sentence at a time (backend/memory_attention.h has the formulas).
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// How a query q scores a key k: scale q . k or, with v [a], scale v . tanh(q + k).
struct KeyScores {
  Tensor v = {};  // optional
  double scale = 1;
};

// The weights of the keys of each row of q [n, a], in the order of the memory: [n, memory.longest], 0 beyond the last
// key. Their type is accumulation_dtype().
Tensor memory_weights(const Tensor& q, const Tensor& K, const KeyScores& scores, const MemoryRows& memory);

// The weighted mean of the values V [m, d_v] of each row. It is written to `context` [n, d_v], a part of a tensor that
// was recorded before (see record_part), or plain memory if nothing is recorded.
void memory_mix(const Tensor& weights, const Tensor& V, const MemoryRows& memory, const Tensor& context);

// Keys that hard attention has chosen (see MemoryAttentionKernels::choose_keys), and what backward does with the
// choice.
struct ChosenKeys {
  Array chosen;
  Array relaxed = {};      // for Gumbel noise
  double temperature = 1;  // for Gumbel noise
  HardCredit credit = {};  // its array may be filled after this op, until backward begins
};
// The value of the chosen key of each row, written to `context` as memory_mix does.
void chosen_mix(const Tensor& weights, const ChosenKeys& keys, const Tensor& V, const MemoryRows& memory,
                const Tensor& context);

}  // namespace dragoman::ops
