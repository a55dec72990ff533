// The residual connection around a sub-layer: dropout, addition and layer normalisation in one pass.
#pragma once

#include "dragoman/array/segments.h"
#include "dragoman/autograd/record.h"
#include "dragoman/backend/dropout.h"

namespace dragoman::ops {

struct AddNorm {
  Tensor s;  // x + dropout(a)
  Tensor y;  // layer_norm(s)
  // Of the rows of s, as the kernel computed them: the mean, and 1 / sqrt(variance + eps). Absent in plain::add_norm.
  Array mean = {}, rstd = {};
};

AddNorm add_norm(const Tensor& x, const Tensor& a, const Segments& segments, const Dropout& dropout,
                 const Tensor& gamma, const Tensor& beta, double eps);

// The same, composed of simple ops; tests compare with it.
namespace plain {
AddNorm add_norm(const Tensor& x, const Tensor& a, const Segments& segments, const Dropout& dropout,
                 const Tensor& gamma, const Tensor& beta, double eps);
}

}  // namespace dragoman::ops
