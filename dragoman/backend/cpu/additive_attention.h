// Additive attention on the CPU (see backend/additive_attention.h).
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class AdditiveAttention : public virtual Context {
  void do_additive_attention(const Array& Q, const Array& K, const Array& V, const Array& v, const Reach& reach,
                             const Heads& heads, Array& O, Array& log_sums, Array& weights) const override;
  void do_additive_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& v,
                                      const Array& O, const Array& log_sums, const Reach& reach, const Heads& heads,
                                      Sink dQ, Sink dK, Sink dV, Sink dv) const override;
  void do_additive_attention_cached(const Array& Q, const Array& K, const Array& V, const Array& v,
                                    const CachedKeys& cache, const Mask& mask, const Heads& heads, Array& O,
                                    Array& weights) const override;
  void do_additive_attention_memory(const Array& Q, const Array& K, const Array& V, const Array& v,
                                    const MemoryRows& memory, const Heads& heads, Array& O,
                                    Array& weights) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
