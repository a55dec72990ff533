// Attention over a memory on the CPU (see backend/memory_attention.h).
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class MemoryAttention : public virtual Context {
  // Soft attention: memory_attention.cpp.
  void do_memory_weights(const Array& q, const Array& K, const Array& v, double scale, const MemoryRows& memory,
                         Array& weights) const override;
  void do_memory_weights_backward(const Array& d_weights, const Array& weights, const Array& q, const Array& K,
                                  const Array& v, double scale, const MemoryRows& memory, Sink dq, Sink dK,
                                  Sink dv) const override;
  void do_memory_mix(const Array& weights, const Array& V, const MemoryRows& memory, Array& O) const override;
  void do_memory_mix_backward(const Array& dO, const Array& weights, const Array& V, const MemoryRows& memory,
                              Sink d_weights, Sink dV) const override;
  // Hard attention: memory_choice.cpp.
  void do_choose_keys(const Array& weights, const MemoryRows& memory, const KeyChoice& choice, Array& chosen,
                      Array& relaxed) const override;
  void do_chosen_mix(const Array& weights, const Array& chosen, const Array& V, const MemoryRows& memory,
                     Array& O) const override;
  void do_chosen_mix_backward(const Array& dO, const Array& weights, const Array& chosen, const Array& relaxed,
                              double temperature, const HardCredit& credit, const Array& V, const MemoryRows& memory,
                              Sink d_weights, Sink dV) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
