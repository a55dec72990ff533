// A step of a recurrent cell, from the products with its weights (backend/recurrence.h has the formulas).
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// The state of a recurrent layer: h [n, H] and, for LSTM, c [n, H].
struct CellState {
  Tensor h, c;
};

// Tensors for the sum that enters the gates; see GateInputs. The gradient of b_u is not recorded here: it is the sum of
// the gradient of the last H columns of `h` (StepProducts does that).
struct CellInputs {
  Tensor x, context, h, b_u;
};

// The next state. It is written to `next`, whose tensors are parts of tensors that were recorded before (see
// record_part), or plain memory if nothing is recorded.
void cell(CellKind kind, const CellInputs& inputs, const CellState& state, const CellState& next);

// The same, composed of simple ops; tests compare with it.
namespace plain {
CellState cell(CellKind kind, const CellInputs& inputs, const CellState& state);
}

}  // namespace dragoman::ops
