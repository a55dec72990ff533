#include "dragoman/backend/softmax.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

void SoftmaxKernels::masked(const Array& x, const Mask& mask, Array& y) const {
  check_same("masked", x, y);
  do_masked(x, mask, y);
}

void SoftmaxKernels::masked_backward(const Array& dy, const Mask& mask, Sink dx) const {
  if (!dx.wanted()) return;
  require<ShapeError>(same_extents(dy, dx.array), "masked_backward: dy is ", dy.shape(), " but dx is ",
                      dx.array.shape());
  do_masked_backward(dy, mask, dx);
}

void SoftmaxKernels::softmax(const Array& x, Array& y) const {
  check_same("softmax", x, y);
  do_softmax(x, y);
}

void SoftmaxKernels::softmax_backward(const Array& dy, const Array& y, Sink dx) const {
  if (!dx.wanted()) return;
  check_backward("softmax_backward", dy, y, dx.array);
  do_softmax_backward(dy, y, dx);
}

void SoftmaxKernels::log_softmax(const Array& x, Array& y) const {
  check_same("log_softmax", x, y);
  do_log_softmax(x, y);
}

void SoftmaxKernels::log_softmax_backward(const Array& dy, const Array& y, Sink dx) const {
  if (!dx.wanted()) return;
  check_backward("log_softmax_backward", dy, y, dx.array);
  do_log_softmax_backward(dy, y, dx);
}

void SoftmaxKernels::smoothed_nll(const Array& log_p, const Array& targets, const LabelSmoothing& smoothing,
                                  Array& losses) const {
  require<ShapeError>(targets.count() == log_p.rows() && losses.count() == log_p.rows(), "smoothed_nll: log_p is ",
                      log_p.shape(), ", targets ", targets.shape(), ", losses ", losses.shape());
  do_smoothed_nll(log_p, targets, smoothing, losses);
}

void SoftmaxKernels::smoothed_nll_backward(double dloss, const Array& targets, const LabelSmoothing& smoothing,
                                           Sink dlog_p) const {
  if (!dlog_p.wanted()) return;
  require<ShapeError>(targets.count() == dlog_p.array.rows(), "smoothed_nll_backward: targets is ", targets.shape(),
                      " but dlog_p is ", dlog_p.array.shape());
  do_smoothed_nll_backward(dloss, targets, smoothing, dlog_p);
}

}  // namespace dragoman
