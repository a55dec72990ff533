// The kernels of recurrence in depth on the CPU (see backend/depth.h).
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Depth : public virtual Context {
  void do_add_coordinates(const Array& x, const Array& position, const Array& P, const Array& s, double scale,
                          Array& y) const override;
  void do_halt(const Array& x, const Array& w, const Array& b, const HaltStep& step, const Array& rest, Array& steps,
               Array& p, Array& weight, Array& rest_after, Array& running) const override;
  void do_halt_backward(const Array& dweight, const Array& drest_after, const Array& w, const Array& p,
                        const Array& steps, int t, Sink dx, Sink drest, Array& dlogit) const override;
  void do_blend_rows(const Array& a, const Array& x, const Array& w, OldRows old, Array& y) const override;
  void do_blend_rows_backward(const Array& dy, const Array& a, const Array& x, const Array& w, OldRows old, Sink da,
                              Sink dx, Sink dw) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
