#include "dragoman/backend/recurrence.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

namespace {

bool has_extents(const Array& x, std::int64_t rows, std::int64_t cols) { return x.rows() == rows && x.cols() == cols; }
bool absent_or(const Array& x, std::int64_t rows, std::int64_t cols) { return !x || has_extents(x, rows, cols); }
bool unwanted_or(const Sink& dx, std::int64_t rows, std::int64_t cols) {
  return !dx.wanted() || has_extents(dx.array, rows, cols);
}

void check_cells(const char* op, std::int64_t rows, const Array& cells, const Array& lengths) {
  require<ShapeError>(cells.rows() == rows && lengths.count() == rows, op, ": the state has ", rows,
                      " rows, but cells is ", cells.shape(), " and lengths ", lengths.shape());
}

}  // namespace

void RecurrenceKernels::cell(CellKind kind, const GateInputs& inputs, const Array& h, const Array& c, Array& gates,
                             Array& c_next, Array& h_next) const {
  const bool gru = kind == CellKind::kGru, lstm = kind == CellKind::kLstm;
  const std::int64_t n = h_next.rows(), H = h_next.cols(), width = gate_count(kind) * H;
  require<ShapeError>(has_extents(inputs.x, n, width) && absent_or(inputs.context, n, width) &&
                          has_extents(inputs.h, n, width) && (!inputs.b_u || (gru && inputs.b_u.count() == H)),
                      "cell with ", gate_count(kind), " gates: h_next is ", h_next.shape(), ", but inputs.x ",
                      inputs.x.shape(), ", inputs.context ", inputs.context.shape(), ", inputs.h ", inputs.h.shape(),
                      ", inputs.b_u ", inputs.b_u.shape());
  require<ShapeError>((h || !gru) && absent_or(h, n, H), "cell: h_next is ", h_next.shape(), " but h is ", h.shape());
  require<ShapeError>(lstm ? has_extents(c, n, H) && has_extents(c_next, n, H) : !c && !c_next, "cell with ",
                      gate_count(kind), " gates: h_next is ", h_next.shape(), ", but c ", c.shape(), ", c_next ",
                      c_next.shape());
  require<ShapeError>(!gates || (saved_gates(kind) > 0 && has_extents(gates, n, saved_gates(kind) * H)),
                      "cell: h_next is ", h_next.shape(), ", and the gates to save ", gates.shape(), ", but ",
                      saved_gates(kind), " gates are saved");
  do_cell(kind, inputs, h, c, gates, c_next, h_next);
}

void RecurrenceKernels::cell_backward(CellKind kind, const Array& dh, const Array& dc, const Array& gates,
                                      const Array& h, const Array& h_next, const Array& c, const Array& c_next,
                                      const GateSinks& d_inputs, Sink d_h, Sink d_c) const {
  if (!d_inputs.x.wanted() && !d_inputs.context.wanted() && !d_inputs.h.wanted() && !d_h.wanted() && !d_c.wanted()) {
    return;
  }
  const bool vanilla = kind == CellKind::kVanilla, lstm = kind == CellKind::kLstm;
  const Array& saved = vanilla ? h_next : lstm ? c_next : h;
  const std::int64_t n = saved.rows(), H = saved.cols(), width = gate_count(kind) * H;
  require<ShapeError>(
      saved && (vanilla || has_extents(gates, n, saved_gates(kind) * H)) && (!lstm || has_extents(c, n, H)),
      "cell_backward with ", gate_count(kind), " gates: gates is ", gates.shape(), ", h ", h.shape(), ", h_next ",
      h_next.shape(), ", c ", c.shape(), ", c_next ", c_next.shape());
  require<ShapeError>(absent_or(dh, n, H) && (!dc || (lstm && has_extents(dc, n, H))), "cell_backward with ",
                      gate_count(kind), " gates: a state is ", saved.shape(), ", but dh ", dh.shape(), ", dc ",
                      dc.shape());
  require<ShapeError>(
      unwanted_or(d_inputs.x, n, width) && unwanted_or(d_inputs.context, n, width) && unwanted_or(d_inputs.h, n, width),
      "cell_backward with ", gate_count(kind), " gates: a state is ", saved.shape(), ", but the gradient of inputs.x ",
      d_inputs.x.array.shape(), ", of inputs.context ", d_inputs.context.array.shape(), ", of inputs.h ",
      d_inputs.h.array.shape());
  require<ShapeError>(unwanted_or(d_h, n, H) && (!d_c.wanted() || (lstm && has_extents(d_c.array, n, H))),
                      "cell_backward with ", gate_count(kind), " gates: a state is ", saved.shape(), ", but d_h ",
                      d_h.array.shape(), ", d_c ", d_c.array.shape());
  do_cell_backward(kind, dh, dc, gates, h, h_next, c, c_next, d_inputs, d_h, d_c);
}

void RecurrenceKernels::run_cells(CellKind kind, const Array& counts, std::span<const CellRun> directions) const {
  const bool gru = kind == CellKind::kGru, lstm = kind == CellKind::kLstm;
  require<ShapeError>(!directions.empty() && counts.dtype() == DType::kInt32, "run_cells: ", directions.size(),
                      " directions, and counts of ", counts.dtype());
  const Array& first = directions.front().h;
  const std::int64_t R = first.rows(), H = first.cols(), width = gate_count(kind) * H;
  for (const CellRun& run : directions) {
    require<ShapeError>(has_extents(run.h, R, H) && has_extents(run.x, R, width) && has_extents(run.U, H, width) &&
                            (!run.b_u || (gru && run.b_u.count() == H)),
                        "run_cells with ", gate_count(kind), " gates: h is ", run.h.shape(), " and that of the first ",
                        "direction ", first.shape(), ", but x ", run.x.shape(), ", U ", run.U.shape(), ", b_u ",
                        run.b_u.shape());
    require<ShapeError>(lstm ? has_extents(run.c, R, H) : !run.c, "run_cells with ", gate_count(kind), " gates: h is ",
                        run.h.shape(), ", but c ", run.c.shape());
    require<ShapeError>(
        (!run.h_start || run.h_start.cols() == H) && (!run.c_start || (lstm && run.c_start.cols() == H)),
        "run_cells with ", gate_count(kind), " gates: h is ", run.h.shape(), ", but h_start ", run.h_start.shape(),
        ", c_start ", run.c_start.shape());
  }
  const auto count = static_cast<std::int64_t>(directions.size());
  require<DeviceError>(can_run_cells(kind, first.dtype(), H, count), "run_cells: this device cannot run ", count,
                       " directions of ", H, " columns of ", first.dtype(), " at once");
  do_run_cells(kind, counts, directions);
  if (OperationCounter* counter = operations()) counter->add(count * R * H * width);
}

void RecurrenceKernels::take_state(const Array& stored, const Array& initial, const Array& cells, const Array& lengths,
                                   const MemoryRows& memory, Array& state) const {
  check_cells("take_state", state.rows(), cells, lengths);
  require<ShapeError>(memory.first.count() == state.rows(), "take_state: the state is ", state.shape(),
                      ", but memory.first ", memory.first.shape());
  require<ShapeError>(stored.cols() == state.cols() && initial.cols() == state.cols() &&
                          stored.dtype() == state.dtype() && initial.dtype() == state.dtype(),
                      "take_state: state is ", state.shape(), " of ", state.dtype(), ", stored ", stored.shape(),
                      " of ", stored.dtype(), ", initial ", initial.shape(), " of ", initial.dtype());
  do_take_state(stored, initial, cells, lengths, memory, state);
}

void RecurrenceKernels::store_state(const Array& state, const Array& cells, const Array& lengths,
                                    const Array& stored) const {
  check_cells("store_state", state.rows(), cells, lengths);
  require<ShapeError>(stored.cols() == state.cols() && stored.dtype() == state.dtype(), "store_state: state is ",
                      state.shape(), " of ", state.dtype(), ", stored ", stored.shape(), " of ", stored.dtype());
  do_store_state(state, cells, lengths, stored);
}

}  // namespace dragoman
