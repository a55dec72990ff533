#include "dragoman/nn/batch_norm.h"

namespace dragoman::nn {

using params::Initial;
using params::Parameter;

BatchNorm::BatchNorm(std::int64_t d_model, double eps_, bool with_padding_)
    : gamma(Parameter({d_model}, Initial::constant(1)).used_as(params::Use::kExact)),
      beta(Parameter({d_model}, Initial::constant(0)).used_as(params::Use::kExact)),
      running_mean({d_model}, 0),
      running_variance({d_model}, 1),
      eps(eps_),
      with_padding(with_padding_) {}

BatchNorm::Result BatchNorm::operator()(const Tensor& x, const Segments& segments, const Pass& pass) const {
  if (!pass.training && !pass.batch_statistics) {
    const ops::ColumnMoments running{running_mean.values(), running_variance.values()};
    return {ops::batch_norm(x, running, gamma.tensor(), beta.tensor(), eps), running};
  }
  const std::int64_t padding = with_padding ? segments.B * segments.longest - segments.R : 0;
  const auto [y, moments, N] = ops::batch_norm(x, gamma.tensor(), beta.tensor(), eps, padding);
  if (pass.training) {
    pass.on.update_running_statistics(moments.mean, moments.variance, N, kShare, running_mean.values(),
                                      running_variance.values());
  }
  return {y, moments};
}

void BatchNorm::parameters(params::ParameterVisitor& visit) {
  visit("gamma", gamma);
  visit("beta", beta);
  visit("running_mean", running_mean);
  visit("running_variance", running_variance);
}

}  // namespace dragoman::nn
