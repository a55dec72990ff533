#include "dragoman/nn/recurrent_layer.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::nn {

RecurrentLayer::RecurrentLayer(const CellSizes& sizes, bool bidirectional_, bool attends_to_past_)
    : forwards(sizes), bidirectional(bidirectional_), attends_to_past(attends_to_past_) {
  if (bidirectional) backwards = Cell(sizes);
  if (!attends_to_past) return;
  forwards_past = PastAttention(sizes);
  if (bidirectional) backwards_past = PastAttention(sizes);
}

RecurrentLayer::Output RecurrentLayer::operator()(const Tensor& x, const data::TimeRows& rows,
                                                  const CellState& initial) const {
  // The states of one direction in the order of time.
  const auto read = [&](const Cell& cell, const PastAttention& past, const RowIndex& order, std::int64_t first) {
    const Tensor in_time = ops::take_rows(x, order);
    if (attends_to_past) return past.run(cell, in_time, rows);
    const auto start = [&](const Tensor& both) {
      return both ? ops::take_rows(columns(both, first, cell.sizes.H), rows.sorted) : Tensor();
    };
    CellLoop loop(cell, cell.W(in_time), {start(initial.h), start(initial.c)}, rows);
    loop.run();
    return loop.states();
  };
  const auto last = [&](const Tensor& states) { return states ? ops::take_rows(states, rows.last) : Tensor(); };
  const CellState there = read(forwards, forwards_past, rows.forwards, 0);
  if (!bidirectional) return {ops::place_rows(there.h, rows.forwards), {last(there.h), last(there.c)}};
  const CellState back = read(backwards, backwards_past, rows.backwards, forwards.sizes.H);
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
