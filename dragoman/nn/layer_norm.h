// Layer normalisation over the features of each token: gamma (x - mean) / sqrt(variance + eps) + beta.
#pragma once

#include "dragoman/nn/parameters.h"
#include "dragoman/ops/layer_norm.h"

namespace dragoman::nn {

struct LayerNorm {
  Parameter gamma, beta;  // [d_model]
  double eps = 1e-6;

  LayerNorm() = default;
  LayerNorm(std::int64_t d_model, double eps_)
      : gamma(Parameter({d_model}, Initial::constant(1)).used_as(Use::kExact)),
        beta(Parameter({d_model}, Initial::constant(0)).used_as(Use::kExact)),
        eps(eps_) {}

  Tensor operator()(const Tensor& x) const { return ops::layer_norm(x, gamma.tensor(), beta.tensor(), eps); }

  void parameters(ParameterVisitor& visit) {
    visit("gamma", gamma);
    visit("beta", beta);
  }
};

}  // namespace dragoman::nn
