// The decoder of a recurrent model. It computes all target sentences of a batch step by step, in the order of time, or
// one token of each hypothesis for translation.
#pragma once

#include <vector>

#include "dragoman/model/recurrent/bridge.h"
#include "dragoman/model/recurrent/readout.h"
#include "dragoman/model/state/state_arrays.h"
#include "dragoman/nn/memory_attention.h"

namespace dragoman::model::recurrent {

struct Decoder {
  RecurrentConfig config;
  Bridge bridge;
  std::vector<nn::Cell> cells;  // of each layer
  nn::Cell second;              // the second cell of the first layer, for context conditional
  nn::MemoryAttention attention;
  params::Buffer baseline;  // of hard attention that draws its keys; optional
  Readout readout;

  explicit Decoder(const RecurrentConfig& config_);

  // All positions at once, for `embedded` in the order of the batch. Returns the readout, also in this order.
  Tensor operator()(const Tensor& embedded, const Segments& segments, const Encoded& encoded, nn::Pass& pass) const;

  // What is kept between decoding steps. For each source token: its key and value; in the row of the first token, the
  // first states and, for a fixed context, the products with it. For each token of a hypothesis: the states after it.
  StateLayout state_layout(DType dtype) const;
  void store_memory(const Encoded& encoded, const Array& rows, const StateArrays& state) const;
  // A decoding step: row i of `embedded` is the new token of row i of the step.
  Tensor step(const Tensor& embedded, const StepRows& rows, const StateArrays& state, nn::Pass& pass) const;

  void parameters(params::ParameterVisitor& visit);

 private:
  // After the last step of attention.
  void finish(nn::AttentionLoop& attend, const data::TimeRows& rows, const Segments& segments, nn::Pass& pass) const;

  // The states of the last layer and the contexts, in the order of time.
  struct Outcome {
    Tensor s, c, readout;  // readout: optional, if it was part of the loop
  };
  Outcome by_layers(const Tensor& x, const std::vector<nn::CellState>& start, const data::TimeRows& rows,
                    const Segments& segments, const Encoded& encoded, nn::Pass& pass) const;
  Outcome by_steps(const Tensor& x, const std::vector<nn::CellState>& start, const data::TimeRows& rows,
                   const Segments& segments, const Encoded& encoded, nn::Pass& pass) const;
};

}  // namespace dragoman::model::recurrent
