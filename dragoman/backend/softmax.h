// The contract of masks, softmax and the label-smoothed loss as separate kernels. Attention and the loss also exist as
// fused kernels (attention.h, loss.h); the kernels here are for the versions that are composed of simple ops.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/loss.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

class SoftmaxKernels {
 public:
  virtual ~SoftmaxKernels() = default;

  // y = x where query i (row) may see key j (column), -infinity elsewhere. Backward: dx = dy where i may see j, 0
  // elsewhere.
  void masked(const Array& x, const Mask& mask, Array& y) const;
  void masked_backward(const Array& dy, const Mask& mask, Sink dx) const;
  // Softmax over the last axis; the maximum of the row is subtracted first. A row that is all -infinity gives zeros in
  // softmax, and -infinity in log_softmax.
  void softmax(const Array& x, Array& y) const;
  void softmax_backward(const Array& dy, const Array& y, Sink dx) const;
  void log_softmax(const Array& x, Array& y) const;
  void log_softmax_backward(const Array& dy, const Array& y, Sink dx) const;
  // losses[r] = -sum_v q_v log_p[r, v] for the smoothed target distribution q of row r; 0 if targets[r] < 0. Backward:
  // dloss is the gradient of every losses[r].
  void smoothed_nll(const Array& log_p, const Array& targets, const LabelSmoothing& smoothing, Array& losses) const;
  void smoothed_nll_backward(double dloss, const Array& targets, const LabelSmoothing& smoothing, Sink dlog_p) const;

 private:
  virtual void do_masked(const Array& x, const Mask& mask, Array& y) const = 0;
  virtual void do_masked_backward(const Array& dy, const Mask& mask, Sink dx) const = 0;
  virtual void do_softmax(const Array& x, Array& y) const = 0;
  virtual void do_softmax_backward(const Array& dy, const Array& y, Sink dx) const = 0;
  virtual void do_log_softmax(const Array& x, Array& y) const = 0;
  virtual void do_log_softmax_backward(const Array& dy, const Array& y, Sink dx) const = 0;
  virtual void do_smoothed_nll(const Array& log_p, const Array& targets, const LabelSmoothing& smoothing,
                               Array& losses) const = 0;
  virtual void do_smoothed_nll_backward(double dloss, const Array& targets, const LabelSmoothing& smoothing,
                                        Sink dlog_p) const = 0;
};

}  // namespace dragoman
