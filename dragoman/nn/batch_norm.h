// Batch normalisation in place of layer normalisation: gamma (x - mean) / sqrt(variance + eps) + beta for each feature,
// with the mean and variance over all tokens of the batch. Training uses the statistics of its batch. So the result of
// a token depends on the other sentences of the batch and, in a decoder, on the tokens after it: a little of the future
// enters. Everything else uses the running values, with which a token's result depends on no other.
#pragma once

#include "dragoman/nn/pass.h"
#include "dragoman/ops/batch_norm.h"
#include "dragoman/params/parameter.h"

namespace dragoman::nn {

struct BatchNorm {
  static constexpr double kShare = 0.1;  // of a batch in the new running values

  params::Parameter gamma, beta;                  // [d_model]
  params::Buffer running_mean, running_variance;  // [d_model]; the variance is the unbiased estimate
  double eps = 1e-5;
  // Whether the statistics include rows of zeros, as many as padding every sentence to the longest of the batch takes.
  bool with_padding = false;

  BatchNorm() = default;
  BatchNorm(std::int64_t d_model, double eps_, bool with_padding_);

  // What was computed, and with which mean and variance.
  struct Result {
    Tensor y;
    ops::ColumnMoments moments;
  };
  // In training, also moves the running values towards the statistics of this batch.
  Result operator()(const Tensor& x, const Segments& segments, const Pass& pass) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::nn
