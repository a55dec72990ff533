// Embedding lookup on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Embed : public virtual Context {
  void do_embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
                const Dropout& dropout, Array& y) const override;
  void do_embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                         const Dropout& dropout, Sink dE, Sink dP) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
