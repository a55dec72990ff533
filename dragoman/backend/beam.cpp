#include "dragoman/backend/beam.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

BeamTables::BeamTables(const BeamSlots& of)
    : S(of.log_p.rows()),
      B(of.log_p.cols()),
      T(of.cells.cols()),
      idle_cells(of.idle_cells),
      ids(of.ids.data<std::int32_t>()),
      lengths(of.lengths.data<std::int32_t>()),
      cells(of.cells.data<std::int32_t>()),
      memory_first(of.memory_first.data<std::int32_t>()),
      memory_count(of.memory_count.data<std::int32_t>()),
      forced(of.forced.data<std::int32_t>()),
      slots(of.slots.data<std::int32_t>()),
      ended(of.ended.data<std::int32_t>()),
      history(of.history.data<std::int32_t>()),
      done(of.done.data<std::int32_t>()),
      log_p(of.log_p.data<double>()),
      ended_p(of.ended_p.data<double>()),
      penalties(of.penalties.data<double>()) {
  require<ShapeError>(B >= 1 && B <= kMaxBeam && T >= 1, "beam: ", B, " hypotheses of up to ", T,
                      " tokens; there must be 1 to ", kMaxBeam, " hypotheses and at least 1 token");
  for (const Array* x : {&of.ids, &of.lengths, &of.memory_first, &of.memory_count, &of.forced}) {
    require<ShapeError>(x->count() == S * B && x->contiguous(), "beam: ", S, " slots of ", B, " rows, but an array of ",
                        x->shape());
  }
  const bool fit = of.cells.shape() == Shape{S * B, T} && of.slots.shape() == Shape{S, kSlotColumns} &&
                   of.ended.shape() == Shape{S, 2 * B} && of.ended_p.shape() == of.ended.shape() &&
                   of.history.shape() == Shape{T, S * B} && of.penalties.count() == T + 1 && of.done.count() == 1;
  require<ShapeError>(fit, "beam: cells are ", of.cells.shape(), ", slots ", of.slots.shape(), ", ended ",
                      of.ended.shape(), ", ended_p ", of.ended_p.shape(), ", history ", of.history.shape(),
                      ", penalties ", of.penalties.shape());
  for (const Array* x : {&of.cells, &of.slots, &of.ended, &of.ended_p, &of.history, &of.log_p, &of.penalties}) {
    require<ShapeError>(x->contiguous(), "beam: an array of shape ", x->shape(), " is not contiguous");
  }
}

void BeamKernels::beam_start(const Array& entering, const Array& prefixes, std::int32_t start,
                             const BeamSlots& slots) const {
  require<ShapeError>(entering.cols() == kEnteringColumns && entering.contiguous(), "beam_start: entering is ",
                      entering.shape(), "; it must be contiguous, with ", std::int32_t{kEnteringColumns}, " columns");
  require<ShapeError>(!prefixes || prefixes.contiguous(), "beam_start: prefixes is ", prefixes.shape(),
                      "; it must be contiguous");
  do_beam_start(entering, prefixes, start, BeamTables(slots));
}

void BeamKernels::beam_move(const Array& moves, const BeamSlots& slots) const {
  require<ShapeError>(moves.cols() == 2 && moves.contiguous(), "beam_move: moves is ", moves.shape(),
                      "; it must be contiguous, with 2 columns");
  do_beam_move(moves, BeamTables(slots));
}

void BeamKernels::beam_step(const BestWords& best, const BeamRules& rules, const BeamSlots& slots) const {
  const BeamTables tables(slots);
  const std::int64_t R = best.ids.rows();
  require<ShapeError>(R % tables.B == 0 && R <= tables.S * tables.B && same_extents(best.ids, best.logits) &&
                          best.log_sums.count() == R && best.asked_logits.count() == R && rules.n_best <= tables.B,
                      "beam_step: ", tables.S, " slots of ", tables.B, " rows, ids are ", best.ids.shape(), ", logits ",
                      best.logits.shape(), ", log_sums ", best.log_sums.shape(), ", asked_logits ",
                      best.asked_logits.shape());
  do_beam_step(best, rules, tables);
}

}  // namespace dragoman
