// Matrix products: the contract.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

enum class Transpose : std::uint8_t { kNo, kYes };

// What follows x W + b: nothing, or ReLU and dropout.
struct Activation {
  bool relu = false;
  Dropout dropout;    // only after a ReLU
  Segments segments;  // of the rows; only read for dropout
};

// On the CPU an element of a product has the same bits whatever rows it is computed with: a sentence is translated to
// the same bytes in any batch.
class MatmulKernels {
 public:
  virtual ~MatmulKernels() = default;

  // C = op(A) op(B), into the sink.
  void matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B, Sink C) const;

  // y = activation(x W + b) for x [R, in], W [in, out], b [out] or absent.
  void linear(const Array& x, const Array& W, const Array& b, const Activation& activation, Array& y) const;
  // Overwrites dy with the gradient of x W + b. y is read only after a ReLU: an element of it is positive just where
  // the gradient passes.
  void linear_backward(Array& dy, const Array& x, const Array& W, const Array& y, const Activation& activation, Sink dx,
                       Sink dW, Sink db) const;

 private:
  virtual void do_matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B,
                         Sink C) const = 0;
  virtual void do_linear(const Array& x, const Array& W, const Array& b, const Activation& activation,
                         Array& y) const = 0;
  virtual void do_linear_backward(Array& dy, const Array& x, const Array& W, const Array& y,
                                  const Activation& activation, Sink dx, Sink dW, Sink db) const = 0;
};

}  // namespace dragoman
