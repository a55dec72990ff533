// The decoder of a convolutional model: convolutions that look back, each followed by attention to the source.
#pragma once

#include <vector>

#include "dragoman/model/convolutional/residual_convolution.h"
#include "dragoman/model/state/state_arrays.h"
#include "dragoman/nn/memory_attention.h"
#include "dragoman/ops/convolution.h"

namespace dragoman::model::convolutional {

struct Decoder {
  // A layer. With its convolution y, the embedded target x_0, the keys z and the values of the encoder:
  //   q = (y W_in + b_in + x_0) sqrt(1/2);  c = softmax(q z^T) values;  y' = (c W_out + b_out + y) sqrt(1/2)
  struct Layer {
    ResidualConvolution block;
    nn::NormedLinear W_in, W_out;
    nn::MemoryAttention attention;  // unscaled products of the queries with the keys; it has no weights

    // `convolve` gives the convolution of x, and `attend` the contexts of queries.
    template <class Convolve, class Attend>
    Tensor run(const Tensor& x, const Tensor& embedded, const Convolve& convolve, const Attend& attend) const;
  };

  nn::NormedLinear from_embedding, to_output;
  std::vector<Layer> layers;
  double P_drop = 0;

  explicit Decoder(const ConvolutionalConfig& config);

  // All positions at once: the vectors that the output projection reads.
  Tensor operator()(const Tensor& embedded, const Segments& segments, const Encoded& encoded, nn::Pass& pass) const;

  // What is kept between decoding steps. For each source token: its key and its value, which are the same for all
  // layers. For each token of a hypothesis: the input of every layer with more than one tap.
  StateLayout state_layout(DType dtype) const;
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const;
  // A decoding step: row i of `embedded` is the new token of row i of the step.
  Tensor step(const Tensor& embedded, const StepRows& rows, const StateArrays& state, nn::Pass& pass) const;

  void parameters(params::ParameterVisitor& visit);
};

template <class Convolve, class Attend>
Tensor Decoder::Layer::run(const Tensor& x, const Tensor& embedded, const Convolve& convolve,
                           const Attend& attend) const {
  const Tensor y = convolve(x);
  const Tensor q = ops::scaled_sum(W_in(y), embedded, kRootHalf);
  return block.add_residual(ops::scaled_sum(W_out(attend(q)), y, kRootHalf), x);
}

}  // namespace dragoman::model::convolutional
