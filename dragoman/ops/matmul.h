// Matrix product.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// A B for A [m, k], B [k, n]; with a transposed B [n, k], A B^T.
Tensor matmul(const Tensor& A, const Tensor& B, Transpose transpose_B = Transpose::kNo);

}  // namespace dragoman::ops
