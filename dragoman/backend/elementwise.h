// Token-wise and element-wise kernels of the plain compositions: the contract.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

struct ElementwiseKernels {
  virtual ~ElementwiseKernels() = default;

  virtual void fill(Array& x, double value) const = 0;
  // y = alpha x, into the sink: copies, scales, and adds gradients. x and y may be ranges of columns and differ in
  // element type.
  virtual void scaled(const Array& x, double alpha, Sink y) const = 0;
  virtual void add(const Array& a, const Array& b, Array& y) const = 0;
  // y = x + b, a vector added to every row. Backward: db is the sum of dy over rows.
  virtual void add_bias(const Array& x, const Array& b, Array& y) const = 0;
  virtual void sum_rows(const Array& x, Sink total) const = 0;
  virtual void relu(const Array& x, Array& y) const = 0;
  virtual void relu_backward(const Array& dy, const Array& y, Sink dx) const = 0;
  // y = x with elements dropped; its own backward, applied to dy.
  virtual void dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const = 0;
  // y = x^T for a matrix, into the sink.
  virtual void transpose(const Array& x, Sink y) const = 0;
  // The sum of all elements in a fixed order, in double, times alpha: total is float64 [1].
  virtual void sum(const Array& x, double alpha, Sink total) const = 0;
  // The sum of all squares, in the same way.
  virtual void sum_of_squares(const Array& x, Array& total) const = 0;
};

}  // namespace dragoman
