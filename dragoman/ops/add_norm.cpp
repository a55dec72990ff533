#include "dragoman/ops/add_norm.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/layer_norm.h"

namespace dragoman::ops {

AddNorm add_norm(const Tensor& x, const Tensor& a, const Segments& segments, const Dropout& dropout,
                 const Tensor& gamma, const Tensor& beta, double eps) {
  Backend& on = x.backend();
  Array s = on.empty_like(x.array()), y = on.empty_like(x.array());
  Array mean = on.empty_rows(x.array()), rstd = on.empty_rows(x.array());
  on.add_norm(x.array(), a.array(), segments, dropout, gamma.array(), beta.array(), eps, s, y, mean, rstd);

  const auto [sum, normed] = record(
      s, y, {x, a, gamma, beta},
      [&on, segments, dropout, gamma = gamma.array(), s, mean, rstd](const Array& ds, const Array& dy, Sinks& d) {
        const auto [dx, da, dgamma, dbeta] = d.first<4>();
        on.add_norm_backward(ds, dy, s, segments, dropout, gamma, mean, rstd, dx, da, dgamma, dbeta);
      });
  return {sum, normed, mean, rstd};
}

namespace plain {

AddNorm add_norm(const Tensor& x, const Tensor& a, const Segments& segments, const Dropout& dropout,
                 const Tensor& gamma, const Tensor& beta, double eps) {
  const Tensor s = x + ops::dropout(a, segments, dropout);
  return {s, layer_norm(s, gamma, beta, eps)};
}

}  // namespace plain

}  // namespace dragoman::ops
