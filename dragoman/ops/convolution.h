// The functions that convolutional networks are made of, besides matrix products.
#pragma once

#include "dragoman/array/segments.h"
#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// The rows that the taps of each row read, side by side: [R, k d] for x [R, d]. The product of the result with a matrix
// [k d, c] is a convolution.
Tensor unfold_rows(const Tensor& x, const Segments& segments, const Taps& taps);

// Depthwise convolution, each column by itself, for w [k, d]. With a linear map after it, it is a separable
// convolution.
Tensor depthwise(const Tensor& x, const Segments& segments, const Taps& taps, const Tensor& w);

// Gated linear unit (Dauphin et al., 2017): a sigma(b) for x = [a, b], element by element; [R, c] for x [R, 2 c].
Tensor glu(const Tensor& x);

// alpha (a + b).
Tensor scaled_sum(const Tensor& a, const Tensor& b, double alpha);

// Row r becomes alpha sqrt(n) x[r], where n is the number of rows of its sentence.
Tensor scale_by_root_length(const Tensor& x, const Segments& segments, double alpha);

// x itself, with a gradient that is multiplied by `factor`. This is not the gradient of any function: it changes how
// fast what lies below x learns.
Tensor scale_gradient(const Tensor& x, double factor);

namespace plain {

Tensor glu(const Tensor& x);
Tensor scaled_sum(const Tensor& a, const Tensor& b, double alpha);

}  // namespace plain

}  // namespace dragoman::ops
