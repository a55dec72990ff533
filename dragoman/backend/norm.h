// Layer normalisation: the contract.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

class NormKernels {
 public:
  virtual ~NormKernels() = default;

  // y = gamma (x - mean) rstd + beta over the last axis; rstd = 1 / sqrt(variance + eps), with the variance about the
  // mean, divided by d (two passes). mean and rstd, [R], are saved for backward.
  void layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                  Array& rstd) const;
  void layer_norm_backward(const Array& dy, const Array& x, const Array& gamma, const Array& mean, const Array& rstd,
                           Sink dx, Sink dgamma, Sink dbeta) const;

  // s = x + dropout(a), y = layer_norm(s): the residual connection of every sub-layer in one pass.
  void add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout, const Array& gamma,
                const Array& beta, double eps, Array& s, Array& y, Array& mean, Array& rstd) const;
  // ds is what reaches s from elsewhere (absent if nothing does), dy what reaches y (likewise).
  void add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                         const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd, Sink dx,
                         Sink da, Sink dgamma, Sink dbeta) const;

 private:
  virtual void do_layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                             Array& rstd) const = 0;
  virtual void do_add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout,
                           const Array& gamma, const Array& beta, double eps, Array& s, Array& y, Array& mean,
                           Array& rstd) const = 0;
  virtual void do_add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                                    const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd,
                                    Sink dx, Sink da, Sink dgamma, Sink dbeta) const = 0;
};

}  // namespace dragoman
