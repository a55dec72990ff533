// The kernels of convolutional networks on the CPU (see backend/convolution.h).
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Convolution : public virtual Context {
  void do_unfold_rows(const Array& x, const Segments& segments, const Taps& taps, Array& y) const override;
  void do_unfold_rows_backward(const Array& dy, const Segments& segments, const Taps& taps, Sink dx) const override;
  void do_unfold_cells(const Array& x, const Array& cells, const Array& lengths, const Taps& taps, const Array& stored,
                       Array& y) const override;
  void do_depthwise(const Array& x, const Segments& segments, const Taps& taps, const Array& w,
                    Array& y) const override;
  void do_depthwise_backward(const Array& dy, const Array& x, const Segments& segments, const Taps& taps,
                             const Array& w, Sink dx, Sink dw) const override;
  void do_glu(const Array& x, Array& y) const override;
  void do_glu_backward(const Array& dy, const Array& x, Sink dx) const override;
  void do_scaled_sum(const Array& a, const Array& b, double alpha, Array& y) const override;
  void do_scale_by_root_length(const Array& x, const Segments& segments, double alpha, Sink y) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
