// A recurrent layer over whole sentences, as encoders have it.
#pragma once

#include "dragoman/nn/past_attention.h"
#include "dragoman/nn/recurrent.h"

namespace dragoman::nn {

// A layer that reads a sequence in one direction, or in both: then its output has the states of both side by side.
struct RecurrentLayer {
  Cell forwards, backwards;
  PastAttention forwards_past, backwards_past;
  bool bidirectional = false;
  bool attends_to_past = false;

  RecurrentLayer() = default;
  RecurrentLayer(const CellSizes& sizes, bool bidirectional_, bool attends_to_past_ = false);

  std::int64_t width() const { return forwards.sizes.H * (bidirectional ? 2 : 1); }

  struct Output {
    Tensor states;   // [R, width], in the order of the batch
    CellState last;  // [B, width] each: after the last token and, backwards, after the first one
  };
  // `initial` has the start states of both directions, [B, width] each, in the order of the batch; optional, and not
  // for layers that attend to their past. The memory of `rows` is that of the same batch.
  Output operator()(const Tensor& x, const data::TimeRows& rows, const CellState& initial = {}) const;

  void parameters(ParameterVisitor& visit);

 private:
  // The states of each direction, in the order of time; `back` only if there are two directions.
  struct States {
    CellState there, back;
  };

  // Whether one call of the backend can compute all steps. It keeps nothing for gradients.
  bool runs_at_once(Backend& on) const;
  States run_at_once(const Tensor& x, const data::TimeRows& rows, const CellState& initial) const;
  // Step by step, one direction after the other.
  States run_steps(const Tensor& x, const data::TimeRows& rows, const CellState& initial) const;
};

}  // namespace dragoman::nn
