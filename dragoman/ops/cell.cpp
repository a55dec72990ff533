#include "dragoman/ops/cell.h"

#include "dragoman/ops/arithmetic.h"

namespace dragoman::ops {

void cell(CellKind kind, const CellInputs& inputs, const CellState& state, const CellState& next) {
  Backend& on = inputs.x.backend();
  const std::int64_t n = next.h.rows(), H = next.h.dim(-1);
  const bool recorded = next.h.variable() != nullptr;
  const Array x = inputs.x.array(), h = state.h.array(), c = array_or_absent(state.c);
  Array h_next = next.h.array(), c_next = array_or_absent(next.c), gates;
  if (recorded && saved_gates(kind) > 0) gates = on.empty({n, saved_gates(kind) * H}, x.dtype());
  on.cell(kind, {x, array_or_absent(inputs.context), inputs.h.array(), array_or_absent(inputs.b_u)}, h, c, gates,
          c_next, h_next);
  record_parts({next.h, next.c}, {inputs.x, inputs.context, inputs.h, state.h, state.c},
               [&on, kind, gates, h, h_next, c, c_next](const Array& dh, const Array& dc, Sinks& d) {
                 GateSinks d_inputs;
                 d_inputs.x = d.into(0);
                 d_inputs.context = d.into(1);
                 d_inputs.h = d.into(2);
                 const Sink d_h = kind == CellKind::kGru ? d.into(3) : Sink();
                 on.cell_backward(kind, dh, dc, gates, h, h_next, c, c_next, d_inputs, d_h, d.into(4));
               });
}

namespace plain {

CellState cell(CellKind kind, const CellInputs& inputs, const CellState& state) {
  const std::int64_t H = state.h.dim(-1);
  const Tensor x = inputs.context ? inputs.x + inputs.context : inputs.x;
  const auto gate = [H](const Tensor& a, std::int64_t i) { return columns(a, i * H, H); };
  if (kind == CellKind::kVanilla) return {tanh(x + inputs.h), {}};
  if (kind == CellKind::kGru) {
    const Tensor z = sigmoid(gate(x, 0) + gate(inputs.h, 0)), r = sigmoid(gate(x, 1) + gate(inputs.h, 1));
    const Tensor u = inputs.b_u ? add_bias(gate(inputs.h, 2), inputs.b_u) : gate(inputs.h, 2);
    const Tensor n = tanh(gate(x, 2) + multiply(r, u));
    return {state.h + multiply(z, n + state.h * -1.0), {}};
  }
  const Tensor a = x + inputs.h;
  const Tensor i = sigmoid(gate(a, 0)), f = sigmoid(gate(a, 1)), o = sigmoid(gate(a, 2)), g = tanh(gate(a, 3));
  const Tensor c = multiply(f, state.c) + multiply(i, g);
  return {multiply(o, tanh(c)), c};
}

}  // namespace plain

}  // namespace dragoman::ops
