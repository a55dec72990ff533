// The optimiser's kernels on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Optimiser : public virtual Context {
  void do_update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const override;
  void do_adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
               Array& copy) const override;
  void do_nesterov(const Array& g, const Array& scale, const NesterovStep& step, Array& theta, Array& v,
                   Array& copy) const override;
  void do_moving_average(const Array& x, const Array& scale, double decay, Array& mean) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
