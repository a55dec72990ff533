// A recurrent layer with attention over its own past (Cheng, Dong and Lapata, 2016): a step starts from a weighted mean
// of all states before it instead of the last one. So attention is not bound to an encoder and a decoder.
#pragma once

#include "dragoman/nn/recurrent.h"
#include "dragoman/ops/memory_attention.h"

namespace dragoman::nn {

// At step t, with the states h_i (and c_i of an LSTM) of the steps before it:
//   a_i = softmax over i < t of v . tanh(h_i W_h + x_t W_x + h~_(t-1) W_t)
//   h~_t = sum of a_i h_i,  c~_t = sum of a_i c_i,  h_t, c_t = cell(x_t, h~_t, c~_t)
// The first step starts from zeros.
struct PastAttention {
  Linear W_h, W_x, W_t;
  Parameter v;

  PastAttention() = default;
  explicit PastAttention(const CellSizes& sizes);

  // The states of all steps of the cell for the inputs x [R, in], both in the order of time.
  CellState run(const Cell& cell, const Tensor& x, const data::TimeRows& rows) const;

  void parameters(ParameterVisitor& visit);
};

}  // namespace dragoman::nn
