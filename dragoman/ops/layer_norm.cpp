#include "dragoman/ops/layer_norm.h"

namespace dragoman::ops {

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array()), mean = on.empty_rows(x.array()), rstd = on.empty_rows(x.array());
  on.layer_norm(x.array(), gamma.array(), beta.array(), eps, y, mean, rstd);

  return record(y, {x, gamma, beta},
                [&on, x = x.array(), gamma = gamma.array(), mean, rstd](const Array& dy, Sinks& d) {
                  const auto [dx, dgamma, dbeta] = d.first<3>();
                  on.layer_norm_backward(dy, x, gamma, mean, rstd, dx, dgamma, dbeta);
                });
}

}  // namespace dragoman::ops
