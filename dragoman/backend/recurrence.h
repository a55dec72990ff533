// The contract of the recurrent cells: the part of a step of a recurrent network that is computed element by element.
// The products with the weight matrices are made before it.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/array/array.h"
#include "dragoman/backend/attention.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

enum class CellKind : std::uint8_t { kVanilla, kGru, kLstm };

// The columns of a cell's pre-activations, H for each gate: vanilla has one block, GRU has z, r, n, and LSTM has
// i, f, o, g.
constexpr std::int64_t gate_count(CellKind kind) {
  return kind == CellKind::kVanilla ? 1 : kind == CellKind::kGru ? 3 : 4;
}
// The blocks of H columns that a cell saves for backward: none for vanilla; z, r, n and u (below) for GRU; i, f, o, g
// for LSTM.
constexpr std::int64_t saved_gates(CellKind kind) { return kind == CellKind::kVanilla ? 0 : 4; }

// The pre-activations of n rows, [n, gates H] each; their sum enters the gates.
struct GateInputs {
  Array x;        // of the step's input, with the bias
  Array context;  // of a second input; optional
  Array h;        // of the previous state: h W_h
  Array b_u;      // [H], GRU only; optional: added to the columns n of `h`
};
struct GateSinks {
  Sink x, context, h;  // the gradient of b_u is the sum of the columns n of the gradient of `h` over the rows
};

// One direction of a recurrent layer over all sentences of a batch, for run_cells(). The R rows are in the order of
// time: first the first tokens of all B sentences, then the second tokens of those that have one, and so on.
struct CellRun {
  Array x;                 // [R, gates H]: of the inputs, with the bias
  Array U;                 // [H, gates H]: the weights of the previous state
  Array b_u;               // [H], GRU only; optional
  Array h_start, c_start;  // [B, H]: before the first step; zero if absent, and c_start is for LSTM only
  Array h, c;              // [R, H]: the result; c for LSTM only
};

class RecurrenceKernels {
 public:
  virtual ~RecurrenceKernels() = default;

  // With a = x + context + h for each gate, sigma(a) = 1 / (1 + e^-a), and all products element by element:
  //   vanilla  h' = tanh(a)
  //   GRU      z = sigma(a_z), r = sigma(a_r), u = h_n + b_u, n = tanh(x_n + context_n + r u), h' = (1 - z) h + z n
  //   LSTM     i, f, o = sigma(a), g = tanh(a_g), c' = f c + i g, h' = o tanh(c')
  // h and h_next are [n, H] in the element type of the inputs. c and c_next are [n, H] in accumulation_dtype(), for
  // LSTM only, otherwise absent. `gates` [n, saved_gates H] has the element type of the inputs; absent for vanilla, and
  // optional for the others. Rows are independent: the bits of a row do not depend on the other rows.
  void cell(CellKind kind, const GateInputs& inputs, const Array& h, const Array& c, Array& gates, Array& c_next,
            Array& h_next) const;
  // dh and dc are the gradients of h_next and c_next; one of them may be absent if it is zero (dc always is unless the
  // cell is an LSTM). d_h receives only the direct part of the gradient of h, (1 - z) dh for GRU and zero for the
  // others; the part through h W_h is the caller's. d_c is for LSTM. `h` is read for GRU, `h_next` for vanilla, `c` and
  // `c_next` for LSTM.
  void cell_backward(CellKind kind, const Array& dh, const Array& dc, const Array& gates, const Array& h,
                     const Array& h_next, const Array& c, const Array& c_next, const GateSinks& d_inputs, Sink d_h,
                     Sink d_c) const;

  // Whether run_cells() can compute this many directions of a layer with states of H columns. The answer depends on the
  // device and on these arguments alone. If it is false, compute step by step with cell().
  bool can_run_cells(CellKind kind, DType dtype, std::int64_t H, std::int64_t directions) const {
    return do_can_run_cells(kind, dtype, H, directions);
  }
  // All steps of a layer at once, without what backward needs. In step t, row j of the step's counts[t] rows is
  //   h', c' = cell(x, h U, b_u) from the state h, c of row j of the step before.
  // counts is int32 [steps] and never rises; its sum is R, and counts[0] is B. h U is not rounded before it enters the
  // gates. All directions have the same counts. The bits of a sentence's rows do not depend on the other sentences.
  void run_cells(CellKind kind, const Array& counts, std::span<const CellRun> directions) const;

  // A decoding step. Row r of `state` is the state of the hypothesis in row r before its current token: if lengths[r]
  // is 0, row memory.first[r] of `initial`; otherwise row cells[r, lengths[r] - 1] of `stored`. cells is int32 [rows,
  // steps] and lengths int32 [rows], as in CachedKeys. All arrays have the same element type.
  void take_state(const Array& stored, const Array& initial, const Array& cells, const Array& lengths,
                  const MemoryRows& memory, Array& state) const;
  // Writes row r of `state` to row cells[r, lengths[r]] of `stored`.
  void store_state(const Array& state, const Array& cells, const Array& lengths, const Array& stored) const;

 private:
  virtual OperationCounter* operations() const = 0;  // null if nothing is counted
  virtual void do_cell(CellKind kind, const GateInputs& inputs, const Array& h, const Array& c, Array& gates,
                       Array& c_next, Array& h_next) const = 0;
  virtual void do_cell_backward(CellKind kind, const Array& dh, const Array& dc, const Array& gates, const Array& h,
                                const Array& h_next, const Array& c, const Array& c_next, const GateSinks& d_inputs,
                                Sink d_h, Sink d_c) const = 0;
  // Devices without a kernel for it leave these two as they are.
  virtual bool do_can_run_cells(CellKind /*kind*/, DType /*dtype*/, std::int64_t /*H*/,
                                std::int64_t /*directions*/) const {
    return false;
  }
  virtual void do_run_cells(CellKind /*kind*/, const Array& /*counts*/, std::span<const CellRun> /*directions*/) const {
  }
  virtual void do_take_state(const Array& stored, const Array& initial, const Array& cells, const Array& lengths,
                             const MemoryRows& memory, Array& state) const = 0;
  virtual void do_store_state(const Array& state, const Array& cells, const Array& lengths,
                              const Array& stored) const = 0;
};

}  // namespace dragoman
