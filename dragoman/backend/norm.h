// The contract of layer normalisation, alone and fused with the residual connection, of batch normalisation, and of
// weight normalisation.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

class NormKernels {
 public:
  // Mean and variance of each column of x over N = R + padding rows: the R rows of x, and `padding` rows of zeros,
  // which a batch with padding would have. Mean and variance, [d], are in accumulation_dtype(). The statistics of
  // blocks of rows are joined with the variance about the mean, so that nothing cancels, and as a binary tree:
  // neighbouring blocks in pairs, then neighbouring pairs, and so on. A block without a neighbour waits. N may not be
  // 0.
  void batch_statistics(const Array& x, std::int64_t padding, Array& mean, Array& variance) const;
  // y = gamma (x - mean) / sqrt(variance + eps) + beta for each column, with one mean and variance for all rows.
  void batch_norm(const Array& x, const Array& mean, const Array& variance, const Array& gamma, const Array& beta,
                  double eps, Array& y) const;
  // With rstd = 1 / sqrt(variance + eps), n = (x - mean) rstd and sums over the rows of a column: dbeta = sum of dy,
  // dgamma = sum of dy n, and dx = gamma rstd (dy - (dbeta + n dgamma) / N). N is the number of rows that mean and
  // variance were taken over; if it is 0 they do not depend on x, and dx = gamma rstd dy.
  void batch_norm_backward(const Array& dy, const Array& x, const Array& mean, const Array& variance,
                           const Array& gamma, double eps, std::int64_t N, Sink dx, Sink dgamma, Sink dbeta) const;
  // Moves the running mean and variance towards those of a batch of N rows: r = (1 - share) r + share s, where s of the
  // variance is the unbiased estimate, variance N / (N - 1) (with N = 1, the variance itself). A column whose
  // statistics are not finite keeps its running values.
  void update_running_statistics(const Array& mean, const Array& variance, std::int64_t N, double share,
                                 const Array& running_mean, const Array& running_variance) const;

  virtual ~NormKernels() = default;

  // y = gamma (x - mean) rstd + beta over the last axis, with rstd = 1 / sqrt(variance + eps). The variance is the mean
  // of (x - mean)^2 over the d elements of a row, taken in a second pass. mean and rstd, [R], are saved for backward.
  void layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                  Array& rstd) const;
  void layer_norm_backward(const Array& dy, const Array& x, const Array& gamma, const Array& mean, const Array& rstd,
                           Sink dx, Sink dgamma, Sink dbeta) const;

  // s = x + dropout(a), y = layer_norm(s): the residual connection of every sub-layer in one pass.
  void add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout, const Array& gamma,
                const Array& beta, double eps, Array& s, Array& y, Array& mean, Array& rstd) const;
  // ds is the gradient that s receives from its other uses, dy the gradient of y; either may be absent if it is zero.
  void add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                         const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd, Sink dx,
                         Sink da, Sink dgamma, Sink dbeta) const;

  // W = g v / |v| for each column: v and W are [in, out], g is [out]. lengths [out], in accumulation_dtype(), receives
  // |v| of each column and is saved for backward. A column of zeros has no direction; its results are NaN.
  // If v is bfloat16, then g, dv and dg may be bfloat16 or float32.
  void weight_norm(const Array& v, const Array& g, Array& W, Array& lengths) const;
  // With u = v / |v| and sums over a column: dg = dW . u, and dv = (g / |v|) (dW - (dW . u) u).
  void weight_norm_backward(const Array& dW, const Array& v, const Array& g, const Array& lengths, Sink dv,
                            Sink dg) const;

 private:
  virtual void do_layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                             Array& rstd) const = 0;
  virtual void do_add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout,
                           const Array& gamma, const Array& beta, double eps, Array& s, Array& y, Array& mean,
                           Array& rstd) const = 0;
  virtual void do_add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                                    const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd,
                                    Sink dx, Sink da, Sink dgamma, Sink dbeta) const = 0;
  virtual void do_batch_statistics(const Array& x, std::int64_t padding, Array& mean, Array& variance) const = 0;
  virtual void do_batch_norm(const Array& x, const Array& mean, const Array& variance, const Array& gamma,
                             const Array& beta, double eps, Array& y) const = 0;
  virtual void do_batch_norm_backward(const Array& dy, const Array& x, const Array& mean, const Array& variance,
                                      const Array& gamma, double eps, std::int64_t N, Sink dx, Sink dgamma,
                                      Sink dbeta) const = 0;
  virtual void do_update_running_statistics(const Array& mean, const Array& variance, std::int64_t N, double share,
                                            const Array& running_mean, const Array& running_variance) const = 0;
  virtual void do_weight_norm(const Array& v, const Array& g, Array& W, Array& lengths) const = 0;
  virtual void do_weight_norm_backward(const Array& dW, const Array& v, const Array& g, const Array& lengths, Sink dv,
                                       Sink dg) const = 0;
};

}  // namespace dragoman
