// The normalisation around the sub-layers of a stack: LayerNorm, as in the paper, or BatchNorm in its place.
#pragma once

#include <variant>

#include "dragoman/array/segments.h"
#include "dragoman/model/transformer/config.h"
#include "dragoman/nn/batch_norm.h"
#include "dragoman/nn/layer_norm.h"
#include "dragoman/nn/pass.h"

namespace dragoman::model::transformer {

class StackNorm {
 public:
  StackNorm() = default;
  explicit StackNorm(const TransformerConfig& config);

  Tensor operator()(const Tensor& x, const Segments& segments, const nn::Pass& pass) const;

  struct Sum {
    Tensor s, y;
  };
  // s = x + dropout(a) and y, its normalisation. An observer sees both; `keeps_sum` is for it, see nn::AddNormSteps.
  Sum add(const Tensor& x, const Tensor& a, const Segments& segments, const Dropout& dropout, const nn::SubLayer& where,
          bool keeps_sum, const nn::Pass& pass) const;

  // Only if the normalisation is a LayerNorm.
  const nn::LayerNorm& layer_norm() const { return std::get<nn::LayerNorm>(kind_); }

  void parameters(params::ParameterVisitor& visit);

 private:
  std::variant<nn::LayerNorm, nn::BatchNorm> kind_;
};

}  // namespace dragoman::model::transformer
