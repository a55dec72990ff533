// The contract of the kernels of convolutional networks. A convolution over the rows of a sentence is a matrix product:
// these kernels put the rows that an output row reads side by side, and apply the gate that follows the product.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// Which rows of its sentence an output row reads: tap j of the row at position p reads position p + j dilation - left.
struct Taps {
  std::int64_t k = 1;         // number of taps
  std::int64_t dilation = 1;  // distance between neighbouring taps
  std::int64_t left = 0;      // how far the first tap lies before the row itself

  // As many taps before the row as after it; k must be odd.
  static constexpr Taps centred(std::int64_t k, std::int64_t dilation) { return {k, dilation, (k - 1) / 2 * dilation}; }
  // The last tap is the row itself.
  static constexpr Taps causal(std::int64_t k, std::int64_t dilation) { return {k, dilation, (k - 1) * dilation}; }

  constexpr std::int64_t offset(std::int64_t tap) const { return tap * dilation - left; }
};

// Whether row r + offset exists and belongs to the sentence of row r. `position` has R elements, as in Segments: within
// a sentence, positions grow by one from row to row, and the rows of a later sentence have smaller ones.
constexpr bool in_same_sentence(const std::int32_t* position, std::int64_t r, std::int64_t offset, std::int64_t R) {
  if (offset <= 0) return position[r] + offset >= 0;
  return r + offset < R && position[r + offset] == position[r] + offset;
}

class ConvolutionKernels {
 public:
  virtual ~ConvolutionKernels() = default;

  // y [R, k d] for x [R, d]: columns [j d, (j + 1) d) of row r are the row of x that tap j of r reads, or zeros where
  // the sentence has no such row.
  void unfold_rows(const Array& x, const Segments& segments, const Taps& taps, Array& y) const;
  // dx[r] = the sum over taps j, in ascending order, of columns [j d, (j + 1) d) of the row of dy whose tap j reads r.
  void unfold_rows_backward(const Array& dy, const Segments& segments, const Taps& taps, Sink dx) const;

  // The same for a decoding step, with causal taps. Row r of x is the input of the new token of hypothesis r, which has
  // lengths[r] tokens before it. x[r] is written to row cells[r, lengths[r]] of `stored`; taps of earlier tokens t read
  // row cells[r, t]. cells is int32 [rows, steps] and lengths int32 [rows], as in CachedKeys. All arrays have the same
  // element type.
  void unfold_cells(const Array& x, const Array& cells, const Array& lengths, const Taps& taps, const Array& stored,
                    Array& y) const;

  // Depthwise convolution, the first half of a separable one: each column is convolved by itself. y[r, c] is the sum
  // over taps j, in ascending order, of w[j, c] times column c of the row of x that tap j of r reads; w is [k, d].
  void depthwise(const Array& x, const Segments& segments, const Taps& taps, const Array& w, Array& y) const;
  void depthwise_backward(const Array& dy, const Array& x, const Segments& segments, const Taps& taps, const Array& w,
                          Sink dx, Sink dw) const;

  // Gated linear unit: y = a sigma(b) for x = [a, b], element by element; x is [R, 2 c] and y [R, c].
  void glu(const Array& x, Array& y) const;
  // da = dy sigma(b) and db = dy a sigma(b) (1 - sigma(b)).
  void glu_backward(const Array& dy, const Array& x, Sink dx) const;

  // y = alpha (a + b). Backward: da = db = alpha dy.
  void scaled_sum(const Array& a, const Array& b, double alpha, Array& y) const;

  // y[r] = alpha sqrt(n) x[r], where n is the number of rows of the sentence of row r, into the sink. Backward is the
  // same kernel applied to dy.
  void scale_by_root_length(const Array& x, const Segments& segments, double alpha, Sink y) const;

 private:
  virtual OperationCounter* operations() const = 0;  // null if nothing is counted
  virtual void do_unfold_rows(const Array& x, const Segments& segments, const Taps& taps, Array& y) const = 0;
  virtual void do_unfold_rows_backward(const Array& dy, const Segments& segments, const Taps& taps, Sink dx) const = 0;
  virtual void do_unfold_cells(const Array& x, const Array& cells, const Array& lengths, const Taps& taps,
                               const Array& stored, Array& y) const = 0;
  virtual void do_depthwise(const Array& x, const Segments& segments, const Taps& taps, const Array& w,
                            Array& y) const = 0;
  virtual void do_depthwise_backward(const Array& dy, const Array& x, const Segments& segments, const Taps& taps,
                                     const Array& w, Sink dx, Sink dw) const = 0;
  virtual void do_glu(const Array& x, Array& y) const = 0;
  virtual void do_glu_backward(const Array& dy, const Array& x, Sink dx) const = 0;
  virtual void do_scaled_sum(const Array& a, const Array& b, double alpha, Array& y) const = 0;
  virtual void do_scale_by_root_length(const Array& x, const Segments& segments, double alpha, Sink y) const = 0;
};

}  // namespace dragoman
