// The contract of the matrix products.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

enum class Transpose : std::uint8_t { kNo, kYes };

// What is applied to x W + b: nothing, or ReLU, or ReLU and dropout.
struct Activation {
  bool relu = false;
  Dropout dropout;    // only after a ReLU
  Segments segments;  // of the rows of x; read only if there is dropout
};

// On the CPU the bits of an element of a product do not depend on which other rows are computed with it. So the
// translation of a sentence does not depend on the rest of its batch.
class MatmulKernels {
 public:
  virtual ~MatmulKernels() = default;

  // C = op(A) op(B), into the sink; op transposes its matrix or leaves it as it is.
  void matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B, Sink C) const;

  // y = activation(x W + b) for x [R, in], W [in, out], b [out] or absent.
  void linear(const Array& x, const Array& W, const Array& b, const Activation& activation, Array& y) const;
  // Computes dx and dW with matmul(). Overwrites dy with the gradient of x W + b. y is read only if there is a ReLU:
  // the gradient passes exactly where y is positive.
  void linear_backward(Array& dy, const Array& x, const Array& W, const Array& y, const Activation& activation, Sink dx,
                       Sink dW, Sink db) const;

 private:
  virtual OperationCounter* operations() const = 0;  // null if nothing is counted
  virtual void do_matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B,
                         Sink C) const = 0;
  virtual void do_linear(const Array& x, const Array& W, const Array& b, const Activation& activation,
                         Array& y) const = 0;
  virtual void do_linear_backward(Array& dy, const Array& x, const Array& W, const Array& y,
                                  const Activation& activation, Sink dx, Sink dW, Sink db) const = 0;
};

}  // namespace dragoman
