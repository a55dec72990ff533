// Matrix product.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// A B for A [m, k] and B [k, n], or A B^T for B [n, k] with Transpose::kYes.
Tensor matmul(const Tensor& A, const Tensor& B, Transpose transpose_B = Transpose::kNo);

}  // namespace dragoman::ops
