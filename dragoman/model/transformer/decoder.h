// The decoder (Section 3.1 of the paper): a stack of layers with masked self-attention and attention over the encoder's
// output. It computes all positions of a sentence at once for training, or one token at a time with cached keys and
// values for translation.
#pragma once

#include <vector>

#include "dragoman/model/state/state_arrays.h"
#include "dragoman/model/transformer/stack.h"

namespace dragoman::model::transformer {

// The encoder's output, projected to the keys and values of every decoder layer.
struct ProjectedMemory {
  Segments segments;
  std::vector<Tensor> K, V;  // one for each layer: [rows, h d_k] and [rows, h d_v]
};

struct Decoder {
  Stack stack;
  nn::Linear W_KV;  // W_K and W_V of every layer's encoder-decoder attention, side by side for a single product

  explicit Decoder(const TransformerConfig& config);

  ProjectedMemory project(const Tensor& memory, const Segments& segments) const;

  // All positions at once. From row j of a sentence's result, the output projection predicts target token j.
  StackOutput operator()(const Tensor& embedded, const Segments& segments, const ProjectedMemory& memory,
                         nn::Pass& pass) const;

  // What is kept between decoding steps. For each source token: the keys and values of every layer's encoder-decoder
  // attention, side by side as W_KV computes them. For each token of a hypothesis: the key and value of every layer's
  // self-attention, for
  // each of `runs` runs of the layers.
  StateLayout state_layout(DType dtype, int runs = 1) const;
  // Projects the memory [R, d_model] and stores row i in row rows[i] of the state's memory; rows is int32 [R].
  void store_memory(const Tensor& memory, const Array& rows, const StateArrays& state) const;
  // A decoding step: row i of `embedded` is the new token of row i of the step.
  StackOutput step(const Tensor& embedded, const StepRows& rows, const StateArrays& state, nn::Pass& pass) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::model::transformer
