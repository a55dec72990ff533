// The recurrent cells on the CPU (see backend/recurrence.h).
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Recurrence : public virtual Context {
  void do_cell(CellKind kind, const GateInputs& inputs, const Array& h, const Array& c, Array& gates, Array& c_next,
               Array& h_next) const override;
  void do_cell_backward(CellKind kind, const Array& dh, const Array& dc, const Array& gates, const Array& h,
                        const Array& h_next, const Array& c, const Array& c_next, const GateSinks& d_inputs, Sink d_h,
                        Sink d_c) const override;
  void do_take_state(const Array& stored, const Array& initial, const Array& cells, const Array& lengths,
                     const MemoryRows& memory, Array& state) const override;
  void do_store_state(const Array& state, const Array& cells, const Array& lengths, const Array& stored) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
