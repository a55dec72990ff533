#include "dragoman/model/transformer/stack_norm.h"

#include "dragoman/ops/add_norm.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::model::transformer {

StackNorm::StackNorm(const TransformerConfig& config) {
  if (config.norm_kind == NormKind::kLayer) {
    kind_ = nn::LayerNorm(config.d_model, config.ln_eps);
  } else {
    kind_ = nn::BatchNorm(config.d_model, config.bn_eps, config.bn_padding == BatchNormPadding::kInclude);
  }
}

Tensor StackNorm::operator()(const Tensor& x, const Segments& segments, const nn::Pass& pass) const {
  if (const auto* layer = std::get_if<nn::LayerNorm>(&kind_)) return (*layer)(x);
  return std::get<nn::BatchNorm>(kind_)(x, segments, pass).y;
}

// LayerNorm is fused with the addition. BatchNorm needs the whole sum before it can begin.
StackNorm::Sum StackNorm::add(const Tensor& x, const Tensor& a, const Segments& segments, const Dropout& dropout,
                              const nn::SubLayer& where, bool keeps_sum, const nn::Pass& pass) const {
  nn::AddNormSteps seen{.where = where, .keeps_sum = keeps_sum};
  Sum sum;
  if (const auto* layer = std::get_if<nn::LayerNorm>(&kind_)) {
    const auto [s, y, mean, rstd] =
        ops::add_norm(x, a, segments, dropout, layer->gamma.tensor(), layer->beta.tensor(), layer->eps);
    sum = {s, y};
    seen.mean = mean;
    seen.rstd = rstd;
    seen.gamma = layer->gamma.tensor().array();
    seen.beta = layer->beta.tensor().array();
    seen.eps = layer->eps;
  } else {
    const auto& batch = std::get<nn::BatchNorm>(kind_);
    sum.s = ops::add(x, ops::dropout(a, segments, dropout));
    const auto [y, moments] = batch(sum.s, segments, pass);
    sum.y = y;
    seen.feature_mean = moments.mean;
    seen.feature_variance = moments.variance;
    seen.gamma = batch.gamma.tensor().array();
    seen.beta = batch.beta.tensor().array();
    seen.eps = batch.eps;
  }
  if (pass.observer != nullptr) {
    seen.x = x.array();
    seen.s = sum.s.array();
    seen.y = sum.y.array();
    pass.observer->see_steps(seen);
  }
  return sum;
}

void StackNorm::parameters(params::ParameterVisitor& visit) {
  std::visit([&](auto& norm) { norm.parameters(visit); }, kind_);
}

}  // namespace dragoman::model::transformer
