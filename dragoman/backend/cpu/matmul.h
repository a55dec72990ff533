// Matrix products on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Matmul : public virtual Context {
  void do_matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B, Sink C) const override;
  void do_linear(const Array& x, const Array& W, const Array& b, const Activation& activation, Array& y) const override;
  void do_linear_backward(Array& dy, const Array& x, const Array& W, const Array& y, const Activation& activation,
                          Sink dx, Sink dW, Sink db) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
