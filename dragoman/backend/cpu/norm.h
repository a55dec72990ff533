// Layer normalisation and weight normalisation on the CPU.
#pragma once

#include "dragoman/backend/cpu/context.h"

namespace dragoman::cpu {

class Norm : public virtual Context {
  void do_layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                     Array& rstd) const override;
  void do_add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout, const Array& gamma,
                   const Array& beta, double eps, Array& s, Array& y, Array& mean, Array& rstd) const override;
  void do_add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                            const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd, Sink dx,
                            Sink da, Sink dgamma, Sink dbeta) const override;
  void do_weight_norm(const Array& v, const Array& g, Array& W, Array& lengths) const override;
  void do_weight_norm_backward(const Array& dW, const Array& v, const Array& g, const Array& lengths, Sink dv,
                               Sink dg) const override;
};

}  // namespace dragoman::cpu
