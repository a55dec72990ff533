// Output projection and loss on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Loss : public virtual Context {
  void do_smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                                 const LabelSmoothing& smoothing, double weight, std::int64_t chunk, Array& losses,
                                 Array& nll, Sink dY, Sink dE, Sink db) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
