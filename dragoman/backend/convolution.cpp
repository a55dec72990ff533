#include "dragoman/backend/convolution.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

namespace {

void check_taps(const char* op, const Taps& taps) {
  require<ShapeError>(taps.k >= 1 && taps.dilation >= 1, op, ": there are ", taps.k, " taps at a distance of ",
                      taps.dilation, "; both must be 1 or more");
}

void check_unfolded(const char* op, const Array& x, const Segments& segments, const Taps& taps, const Array& y) {
  check_taps(op, taps);
  require<ShapeError>(x.rows() == y.rows() && x.cols() * taps.k == y.cols(), op, ": x is ", x.shape(), " but y is ",
                      y.shape(), " with ", taps.k, " taps");
  check_segments(op, x, segments);
}

void check_depthwise(const char* op, const Array& x, const Segments& segments, const Taps& taps, const Array& w,
                     const Array& y) {
  check_taps(op, taps);
  require<ShapeError>(same_extents(x, y) && w.rows() == taps.k && w.cols() == x.cols(), op, ": x is ", x.shape(),
                      ", w ", w.shape(), ", y ", y.shape(), " with ", taps.k, " taps");
  check_segments(op, x, segments);
}

}  // namespace

void ConvolutionKernels::unfold_rows(const Array& x, const Segments& segments, const Taps& taps, Array& y) const {
  check_unfolded("unfold_rows", x, segments, taps, y);
  do_unfold_rows(x, segments, taps, y);
}

void ConvolutionKernels::unfold_rows_backward(const Array& dy, const Segments& segments, const Taps& taps,
                                              Sink dx) const {
  if (!dx.wanted()) return;
  check_unfolded("unfold_rows_backward", dx.array, segments, taps, dy);
  do_unfold_rows_backward(dy, segments, taps, dx);
}

void ConvolutionKernels::unfold_cells(const Array& x, const Array& cells, const Array& lengths, const Taps& taps,
                                      const Array& stored, Array& y) const {
  const std::int64_t rows = x.rows();
  require<ShapeError>(rows == y.rows() && x.cols() * taps.k == y.cols() && stored.cols() == x.cols(),
                      "unfold_cells: x is ", x.shape(), ", the cells ", stored.shape(), ", y ", y.shape(), " with ",
                      taps.k, " taps");
  require<ShapeError>(cells.rows() == rows && lengths.count() == rows, "unfold_cells: x is ", x.shape(), ", cells ",
                      cells.shape(), ", lengths ", lengths.shape());
  require<ShapeError>(taps.left == (taps.k - 1) * taps.dilation, "unfold_cells: ", taps.k, " taps at a distance of ",
                      taps.dilation, " start ", taps.left, " tokens back; the last one must be the new token");
  require<ShapeError>(x.dtype() == y.dtype() && x.dtype() == stored.dtype(), "unfold_cells: x is ", x.dtype(),
                      ", the cells ", stored.dtype(), ", y ", y.dtype());
  do_unfold_cells(x, cells, lengths, taps, stored, y);
}

void ConvolutionKernels::depthwise(const Array& x, const Segments& segments, const Taps& taps, const Array& w,
                                   Array& y) const {
  check_depthwise("depthwise", x, segments, taps, w, y);
  if (OperationCounter* counter = operations()) counter->add(taps.k * x.count());
  do_depthwise(x, segments, taps, w, y);
}

void ConvolutionKernels::depthwise_backward(const Array& dy, const Array& x, const Segments& segments, const Taps& taps,
                                            const Array& w, Sink dx, Sink dw) const {
  check_depthwise("depthwise_backward", x, segments, taps, w, dy);
  require<ShapeError>(fits(dx, x) && fits(dw, w), "depthwise_backward: x is ", x.shape(), ", w ", w.shape(), ", dx ",
                      dx.array.shape(), ", dw ", dw.array.shape());
  if (OperationCounter* counter = operations()) counter->add((dx.wanted() + dw.wanted()) * taps.k * x.count());
  do_depthwise_backward(dy, x, segments, taps, w, dx, dw);
}

void ConvolutionKernels::glu(const Array& x, Array& y) const {
  require<ShapeError>(x.rows() == y.rows() && x.cols() == 2 * y.cols(), "glu: x is ", x.shape(), " but y is ",
                      y.shape());
  do_glu(x, y);
}

void ConvolutionKernels::glu_backward(const Array& dy, const Array& x, Sink dx) const {
  if (!dx.wanted()) return;
  require<ShapeError>(x.rows() == dy.rows() && x.cols() == 2 * dy.cols() && same_extents(x, dx.array),
                      "glu_backward: dy is ", dy.shape(), ", x ", x.shape(), ", dx ", dx.array.shape());
  do_glu_backward(dy, x, dx);
}

void ConvolutionKernels::scaled_sum(const Array& a, const Array& b, double alpha, Array& y) const {
  require<ShapeError>(same_extents(a, b) && same_extents(a, y), "scaled_sum: a is ", a.shape(), ", b ", b.shape(),
                      ", y ", y.shape());
  do_scaled_sum(a, b, alpha, y);
}

void ConvolutionKernels::scale_by_root_length(const Array& x, const Segments& segments, double alpha, Sink y) const {
  if (!y.wanted()) return;
  check_same("scale_by_root_length", x, y.array);
  check_segments("scale_by_root_length", x, segments);
  do_scale_by_root_length(x, segments, alpha, y);
}

}  // namespace dragoman
