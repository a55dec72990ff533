// Elementary differentiable functions. Tests compare each fused op with the same function composed of these.
#pragma once

#include <initializer_list>
#include <span>

#include "dragoman/array/segments.h"
#include "dragoman/autograd/record.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/elementwise.h"

namespace dragoman::ops {

Tensor add(const Tensor& a, const Tensor& b);
Tensor add_bias(const Tensor& x, const Tensor& b);  // b [cols], added to every row
Tensor scale(const Tensor& x, double alpha);
Tensor converted(const Tensor& x, DType dtype);  // the same values in another element type
// Copies x to a part of a tensor that was recorded before (see record_part).
void store_part(const Tensor& x, const Tensor& part);
Tensor multiply(const Tensor& a, const Tensor& b);  // elementwise
Tensor relu(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);               // 1 / (1 + e^-x)
Tensor gated(const Tensor& x, SelfGate gate);  // x g(x)
Tensor dropout(const Tensor& x, const Segments& segments, const Dropout& dropout);
Tensor transpose(const Tensor& x);
// Rows [first, first + count) of x. The values are a view of x; the gradient has its own memory and is added to x's.
Tensor rows(const Tensor& x, std::int64_t first, std::int64_t count);
// stack_rows puts the parts below one another (equal numbers of columns), concat side by side (equal numbers of rows).
// There must be at least one part.
Tensor stack_rows(std::span<const Tensor> parts);
Tensor concat(std::span<const Tensor> parts);
inline Tensor stack_rows(std::initializer_list<Tensor> parts) {
  return stack_rows(std::span(parts.begin(), parts.size()));
}
inline Tensor concat(std::initializer_list<Tensor> parts) { return concat(std::span(parts.begin(), parts.size())); }
// alpha times the sum of all elements, as one number in double. It must be the root of backward: its own gradient is
// assumed to be 1.
Tensor sum(const Tensor& x, double alpha = 1.0);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator*(const Tensor& x, double alpha) { return scale(x, alpha); }

}  // namespace dragoman::ops
