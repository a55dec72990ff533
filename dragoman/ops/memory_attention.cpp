#include "dragoman/ops/memory_attention.h"

namespace dragoman::ops {

Tensor memory_weights(const Tensor& q, const Tensor& K, const KeyScores& scores, const MemoryRows& memory) {
  Backend& on = q.backend();
  const Array v = array_or_absent(scores.v);
  Array weights = on.empty({q.rows(), memory.longest}, accumulation_dtype(q.array().dtype()));
  on.memory_weights(q.array(), K.array(), v, scores.scale, memory, weights);
  return record(
      weights, {q, K, scores.v},
      [&on, q = q.array(), K = K.array(), v, scale = scores.scale, memory, weights](const Array& dw, Sinks& d) {
        const auto [dq, dK, dv] = d.first<3>();
        on.memory_weights_backward(dw, weights, q, K, v, scale, memory, dq, dK, dv);
      });
}

void memory_mix(const Tensor& weights, const Tensor& V, const MemoryRows& memory, const Tensor& context) {
  Backend& on = V.backend();
  Array O = context.array();
  on.memory_mix(weights.array(), V.array(), memory, O);
  record_part(context, {weights, V},
              [&on, weights = weights.array(), V = V.array(), memory](const Array& dO, Sinks& d) {
                const auto [dw, dV] = d.first<2>();
                on.memory_mix_backward(dO, weights, V, memory, dw, dV);
              });
}

void chosen_mix(const Tensor& weights, const ChosenKeys& keys, const Tensor& V, const MemoryRows& memory,
                const Tensor& context) {
  Backend& on = V.backend();
  Array O = context.array();
  on.chosen_mix(weights.array(), keys.chosen, V.array(), memory, O);
  record_part(context, {weights, V},
              [&on, weights = weights.array(), keys, V = V.array(), memory](const Array& dO, Sinks& d) {
                const auto [dw, dV] = d.first<2>();
                on.chosen_mix_backward(dO, weights, keys.chosen, keys.relaxed, keys.temperature, keys.credit, V, memory,
                                       dw, dV);
              });
}

}  // namespace dragoman::ops
