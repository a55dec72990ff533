// The encoder (Section 3.1 of the paper): a stack of layers in which every token sees all tokens of its sentence.
#pragma once

#include "dragoman/model/transformer/stack.h"

namespace dragoman::model::transformer {

struct Encoder {
  Stack stack;

  explicit Encoder(const TransformerConfig& config) : stack(config, Stack::Kind::kEncoder) {}

  // From embedded tokens to the encoder's output, which the decoder uses as its memory.
  StackOutput operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::model::transformer
