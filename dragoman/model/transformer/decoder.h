// The decoder (Section 3.1 of the paper): a stack of layers that see no future and also read the encoder's output,
// whole sentences at a time for training, or one token at a time with cached keys and values for translation.
#pragma once

#include <vector>

#include "dragoman/model/state_arrays.h"
#include "dragoman/model/transformer/stack.h"

namespace dragoman::model {

// The encoder's output, projected to the keys and values of every decoder layer.
struct ProjectedMemory {
  Segments segments;
  std::vector<Tensor> K, V;  // one a layer
};

struct Decoder {
  Stack stack;
  nn::Linear W_KV;  // W_K and W_V of every layer's attention over the memory, side by side: one product

  explicit Decoder(const TransformerConfig& config);

  ProjectedMemory project(const Tensor& memory, const Segments& segments) const;

  // All positions at once: row j of the result is to predict token j of the target.
  Tensor operator()(const Tensor& embedded, const Segments& segments, const ProjectedMemory& memory,
                    nn::Pass& pass) const;

  // Kept between steps: of each source token the keys and values of every layer, side by side as W_KV gives them; of
  // each token of a hypothesis those of every layer's self-attention.
  StateLayout state_layout(DType dtype) const;
  // Puts the projected memory, row by row, into these rows (int32 [R]) of the state's.
  void remember(const Tensor& memory, const Array& rows, const StateArrays& state) const;
  // One token per hypothesis: `embedded` has a row for each row of the step.
  Tensor step(const Tensor& embedded, const StepRows& rows, const StateArrays& state, nn::Pass& pass) const;

  void parameters(nn::ParameterVisitor& visit);
};

}  // namespace dragoman::model
