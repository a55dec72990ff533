// Batch normalisation: each feature is normalised over the rows of a batch.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// Mean and variance of each column, [d] in accumulation_dtype().
struct ColumnMoments {
  Array mean, variance;
};

struct BatchNorm {
  Tensor y;               // [R, d]
  ColumnMoments moments;  // of the batch
  std::int64_t N = 0;     // the number of rows that they were taken over
};
// y = gamma (x - mean) / sqrt(variance + eps) + beta, with the mean and variance of each column over the rows of x and
// `padding` more rows of zeros.
BatchNorm batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps, std::int64_t padding = 0);
// The same with given moments, which do not depend on x.
Tensor batch_norm(const Tensor& x, const ColumnMoments& given, const Tensor& gamma, const Tensor& beta, double eps);

// The first, composed of simple ops: the rows of zeros are there, and each column is normalised as a row of the
// transposed matrix. Tests compare with it.
namespace plain {
Tensor batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps, std::int64_t padding = 0);
}

}  // namespace dragoman::ops
