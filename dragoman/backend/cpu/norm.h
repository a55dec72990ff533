// Layer, batch and weight normalisation on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Norm : public virtual Context {
  void do_layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                     Array& rstd) const override;
  void do_add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout, const Array& gamma,
                   const Array& beta, double eps, Array& s, Array& y, Array& mean, Array& rstd) const override;
  void do_add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                            const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd, Sink dx,
                            Sink da, Sink dgamma, Sink dbeta) const override;
  // Batch normalisation: batch_norm.cpp.
  void do_batch_statistics(const Array& x, std::int64_t padding, Array& mean, Array& variance) const override;
  void do_batch_norm(const Array& x, const Array& mean, const Array& variance, const Array& gamma, const Array& beta,
                     double eps, Array& y) const override;
  void do_batch_norm_backward(const Array& dy, const Array& x, const Array& mean, const Array& variance,
                              const Array& gamma, double eps, std::int64_t N, Sink dx, Sink dgamma,
                              Sink dbeta) const override;
  void do_update_running_statistics(const Array& mean, const Array& variance, std::int64_t N, double share,
                                    const Array& running_mean, const Array& running_variance) const override;
  // Weight normalisation: weight_norm.cpp.
  void do_weight_norm(const Array& v, const Array& g, Array& W, Array& lengths) const override;
  void do_weight_norm_backward(const Array& dW, const Array& v, const Array& g, const Array& lengths, Sink dv,
                               Sink dg) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
