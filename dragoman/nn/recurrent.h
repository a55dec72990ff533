// Recurrent layers: a cell that reads its own last state at every step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/data/time_rows.h"
#include "dragoman/nn/linear.h"
#include "dragoman/ops/cell.h"
#include "dragoman/ops/step_products.h"

namespace dragoman::nn {

using ops::CellState;

// Where the reset gate of a GRU acts: on the product of the last state with U_n (kAfter), so that one product serves
// all gates, or on the state itself (kBefore), as in the first papers.
enum class Reset : std::uint8_t { kAfter, kBefore };

enum class RecurrentInit : std::uint8_t {
  kGlorot,      // each gate's matrices from the uniform distribution of Glorot and Bengio
  kOrthogonal,  // the same, but the matrices that multiply the last state are orthogonal
  kUniform,     // everything from U(-0.1, 0.1)
};

// The distribution of a weight matrix that is not recurrent, and of a bias.
params::Initial initial_weights(RecurrentInit init, std::int64_t fan_in, std::int64_t fan_out);
params::Initial initial_bias(RecurrentInit init);

struct CellSizes {
  CellKind kind = CellKind::kGru;
  Reset reset = Reset::kAfter;
  std::int64_t in = 0;       // width of the input
  std::int64_t context = 0;  // width of a second input, which is known only when its step begins; 0 if there is none
  std::int64_t H = 0;        // width of the state
  RecurrentInit init = RecurrentInit::kGlorot;

  // A GRU that resets its state before the product needs a second product in each step.
  bool resets_before() const { return kind == CellKind::kGru && reset == Reset::kBefore; }
};

// The weights of a cell. The gates lie side by side; backend/recurrence.h has their order and the formulas.
struct Cell {
  CellSizes sizes;
  Linear W;       // of the input, with the biases: [in, gates H]
  Linear C;       // of the second input: [context, gates H]; optional
  Linear U;       // of the last state: [H, gates H], or [H, 2 H] for a GRU that resets before
  Linear U_n;     // [H, H], of a GRU that resets before
  Parameter b_u;  // [H], of a GRU that resets after

  Cell() = default;
  explicit Cell(const CellSizes& sizes_);

  // One step with states that no loop keeps, for translation: x = W(input), context = C(second input).
  CellState step(const Tensor& x, const Tensor& context, const CellState& state) const;

  void parameters(ParameterVisitor& visit);
};

// A product with the same weights in every step of a loop, as StepProducts makes it; packed weights need no gradient.
class StepLinear {
 public:
  StepLinear(const Linear& linear, std::int64_t R, const ops::StepInputs& inputs = {},
             const Parameter* steps_bias = {});
  Tensor operator()(const Tensor& x, std::int64_t first) const;

 private:
  const Linear* linear_;
  std::optional<ops::StepProducts> products_;  // absent if the weights are packed
};

// A tensor of R rows that the steps of a loop fill part by part (see record_part), with `initial` [B, d] above them if
// there is one. `source` is any tensor with a history that the steps use.
Tensor loop_rows(const Tensor& source, std::int64_t R, std::int64_t d, DType dtype, const Tensor& initial = {});

// The steps of a cell over all sentences of a batch, in the order of time. Use step(0), step(1), ... or run().
class CellLoop {
 public:
  // `x` is W(input) for all rows, in the order of time. `initial` has a row for each sorted sentence; without it the
  // states start at zero.
  CellLoop(const Cell& cell, const Tensor& x, const CellState& initial, const data::TimeRows& rows);

  // Where the second inputs are when the loop is over. Call it before the first step of a cell that has them.
  void set_context_inputs(const ops::StepInputs& inputs) { context_inputs_ = inputs; }
  // Where the states are that the steps start from, if they are not the cell's own. Call it before the first step.
  void set_state_inputs(const ops::StepInputs& inputs) { state_inputs_ = inputs; }

  // The state before step t, for the sentences that step t computes. Steps 0 to t - 1 must be done.
  const CellState& before(std::int64_t t);
  // `context` is the second input of the step.
  void step(std::int64_t t, const Tensor& context = {});
  // The same if the product of the second input with C is known.
  void step_with_product(std::int64_t t, const Tensor& context_product);
  // The same if W(input) was not known before the loop.
  void step_with_input(std::int64_t t, const Tensor& x);
  // A step that starts from another state than before(t).
  void step_from(std::int64_t t, const CellState& state, const Tensor& x, const Tensor& context_product = {});
  // All steps of a cell without a second input.
  void run();

  // The rows of `x` for step t.
  Tensor x(std::int64_t t) const;
  // The state of step t after it.
  const CellState& after(std::int64_t t) const { return after_[static_cast<std::size_t>(t)]; }
  // The states of all steps, in the order of time.
  const CellState& states() const { return states_; }
  // Where the state before each row is when the loop is over.
  ops::StepInputs states_before() const { return {h_.array(), rows_.before}; }

 private:
  const Cell& cell_;
  const data::TimeRows& rows_;
  Tensor x_, h_, c_;  // h_ and c_ have the B initial states above the rows of the steps
  CellState states_;  // the rows of the steps
  ops::StepInputs context_inputs_, state_inputs_;
  std::optional<StepLinear> C_, U_, U_n_;  // made by the first step
  std::vector<CellState> before_, after_;
};

}  // namespace dragoman::nn
