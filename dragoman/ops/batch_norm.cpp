#include "dragoman/ops/batch_norm.h"

#include <vector>

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/layer_norm.h"

namespace dragoman::ops {

namespace {

// N is 0 if the moments do not depend on x.
Tensor normalised(const Tensor& x, const ColumnMoments& moments, std::int64_t N, const Tensor& gamma,
                  const Tensor& beta, double eps) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.batch_norm(x.array(), moments.mean, moments.variance, gamma.array(), beta.array(), eps, y);
  return record(y, {x, gamma, beta},
                [&on, x = x.array(), moments, gamma = gamma.array(), eps, N](const Array& dy, Sinks& d) {
                  const auto [dx, dgamma, dbeta] = d.first<3>();
                  on.batch_norm_backward(dy, x, moments.mean, moments.variance, gamma, eps, N, dx, dgamma, dbeta);
                });
}

}  // namespace

BatchNorm batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps, std::int64_t padding) {
  Backend& on = x.backend();
  const DType type = accumulation_dtype(x.array().dtype());
  ColumnMoments moments{on.empty({x.dim(-1)}, type), on.empty({x.dim(-1)}, type)};
  on.batch_statistics(x.array(), padding, moments.mean, moments.variance);
  const std::int64_t N = x.rows() + padding;
  return {normalised(x, moments, N, gamma, beta, eps), moments, N};
}

Tensor batch_norm(const Tensor& x, const ColumnMoments& given, const Tensor& gamma, const Tensor& beta, double eps) {
  return normalised(x, given, 0, gamma, beta, eps);
}

namespace plain {

Tensor batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps, std::int64_t padding) {
  Backend& on = x.backend();
  const auto filled = [&](const Shape& shape, double value) {
    Array values = on.empty(shape, x.array().dtype());
    on.fill(values, value);
    return Tensor(on, values);
  };
  const std::int64_t R = x.rows(), N = R + padding;
  const Tensor padded = padding > 0 ? stack_rows({x, filled({padding, x.dim(-1)}, 0)}) : x;
  const Tensor normal = transpose(layer_norm(transpose(padded), filled({N}, 1), filled({N}, 0), eps));
  const Tensor gammas = stack_rows(std::vector<Tensor>(static_cast<std::size_t>(R), gamma));
  return add_bias(multiply(rows(normal, 0, R), gammas), beta);
}

}  // namespace plain

}  // namespace dragoman::ops
