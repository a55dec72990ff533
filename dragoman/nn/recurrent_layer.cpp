#include "dragoman/nn/recurrent_layer.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::nn {

namespace {

// The start states of one direction for the sorted sentences, if there are any; `first` is its first column in them.
CellState start_of(const CellState& initial, std::int64_t first, std::int64_t H, const data::TimeRows& rows) {
  const auto start = [&](const Tensor& all) {
    return all ? ops::take_rows(columns(all, first, H), rows.sorted) : Tensor();
  };
  return {start(initial.h), start(initial.c)};
}

// The arrays of one direction for Backend::run_cells, with memory for the result.
CellRun cell_run(const Cell& cell, const Tensor& x, const CellState& start) {
  const Backend& on = x.backend();
  const Shape states{x.rows(), cell.sizes.H};
  const DType dtype = x.array().dtype();
  return {.x = x.array(),
          .U = cell.U.W.tensor().array(),
          .b_u = cell.b_u ? cell.b_u.tensor().array() : Array(),
          .h_start = array_or_absent(start.h),
          .c_start = array_or_absent(start.c),
          .h = on.empty(states, dtype),
          .c = cell.sizes.kind == CellKind::kLstm ? on.empty(states, accumulation_dtype(dtype)) : Array()};
}

}  // namespace

RecurrentLayer::RecurrentLayer(const CellSizes& sizes, bool bidirectional_, bool attends_to_past_)
    : forwards(sizes), bidirectional(bidirectional_), attends_to_past(attends_to_past_) {
  if (bidirectional) backwards = Cell(sizes);
  if (!attends_to_past) return;
  forwards_past = PastAttention(sizes);
  if (bidirectional) backwards_past = PastAttention(sizes);
}

bool RecurrentLayer::runs_at_once(Backend& on) const {
  if (Recording::current() != nullptr || attends_to_past) return false;
  const CellSizes& sizes = forwards.sizes;
  if (sizes.resets_before() || forwards.U.W.packed()) return false;
  return on.can_run_cells(sizes.kind, forwards.U.W.dtype(), sizes.H, bidirectional ? 2 : 1);
}

RecurrentLayer::States RecurrentLayer::run_at_once(const Tensor& x, const data::TimeRows& rows,
                                                   const CellState& initial) const {
  Backend& on = x.backend();
  const std::int64_t H = forwards.sizes.H;
  std::vector<CellRun> runs = {
      cell_run(forwards, forwards.W(ops::take_rows(x, rows.forwards)), start_of(initial, 0, H, rows))};
  if (bidirectional) {
    runs.push_back(cell_run(backwards, backwards.W(ops::take_rows(x, rows.backwards)), start_of(initial, H, H, rows)));
  }
  on.run_cells(forwards.sizes.kind, rows.device_counts, runs);
  const auto states = [&](const CellRun& run) {
    return CellState{Tensor(on, run.h), run.c ? Tensor(on, run.c) : Tensor()};
  };
  return {states(runs.front()), bidirectional ? states(runs.back()) : CellState()};
}

RecurrentLayer::States RecurrentLayer::run_steps(const Tensor& x, const data::TimeRows& rows,
                                                 const CellState& initial) const {
  const auto read = [&](const Cell& cell, const PastAttention& past, const RowIndex& order, std::int64_t first) {
    const Tensor in_time = ops::take_rows(x, order);
    if (attends_to_past) return past.run(cell, in_time, rows);
    CellLoop loop(cell, cell.W(in_time), start_of(initial, first, cell.sizes.H, rows), rows);
    loop.run();
    return loop.states();
  };
  States states{read(forwards, forwards_past, rows.forwards, 0), {}};
  if (bidirectional) states.back = read(backwards, backwards_past, rows.backwards, forwards.sizes.H);
  return states;
}

RecurrentLayer::Output RecurrentLayer::operator()(const Tensor& x, const data::TimeRows& rows,
                                                  const CellState& initial) const {
  const auto [there, back] = runs_at_once(x.backend()) ? run_at_once(x, rows, initial) : run_steps(x, rows, initial);
  const auto last = [&](const Tensor& states) { return states ? ops::take_rows(states, rows.last) : Tensor(); };
  if (!bidirectional) return {ops::place_rows(there.h, rows.forwards), {last(there.h), last(there.c)}};
  const auto both = [&](const Tensor& a, const Tensor& b) { return a ? ops::concat({last(a), last(b)}) : Tensor(); };
  return {ops::place_beside(there.h, rows.forwards, back.h, rows.backwards),
          {both(there.h, back.h), both(there.c, back.c)}};
}

void RecurrentLayer::parameters(ParameterVisitor& visit) {
  visit.inside("forwards", forwards);
  if (attends_to_past) visit.inside("forwards.past", forwards_past);
  if (!bidirectional) return;
  visit.inside("backwards", backwards);
  if (attends_to_past) visit.inside("backwards.past", backwards_past);
}

}  // namespace dragoman::nn
