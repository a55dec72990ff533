// Masks, softmax and the loss as separate kernels on the CPU (see backend/softmax.h).
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Softmax : public virtual Context {
  void do_masked(const Array& x, const Mask& mask, Array& y) const override;
  void do_masked_backward(const Array& dy, const Mask& mask, Sink dx) const override;
  void do_softmax(const Array& x, Array& y) const override;
  void do_softmax_backward(const Array& dy, const Array& y, Sink dx) const override;
  void do_log_softmax(const Array& x, Array& y) const override;
  void do_log_softmax_backward(const Array& dy, const Array& y, Sink dx) const override;
  void do_smoothed_nll(const Array& log_p, const Array& targets, const LabelSmoothing& smoothing,
                       Array& losses) const override;
  void do_smoothed_nll_backward(double dloss, const Array& targets, const LabelSmoothing& smoothing,
                                Sink dlog_p) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
