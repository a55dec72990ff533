#include "dragoman/backend/recurrence.h"

#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaRecurrence = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaRecurrence, kElements, element_name);

constexpr CellKind kKinds[] = {CellKind::kVanilla, CellKind::kGru, CellKind::kLstm};
constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};
// The last ones are read eight columns at a time, unless they are views.
const std::vector<Shape> kStates = {{0, 3}, {1, 1}, {1, 33}, {5, 6}, {70, 17}, {3, 513}, {1, 8}, {7, 64}, {3, 1000}};

enum class Layout : std::uint8_t { kViews, kContiguous };

// Makes random arrays: contiguous ones, or ranges of columns of wider arrays.
struct Maker {
  const Backend& on;
  Layout layout;

  Array operator()(const Shape& shape, DType dtype, std::uint64_t seed) const {
    const std::int64_t more = layout == Layout::kViews ? 5 : 0;
    const Shape wide{shape.rows(), shape.cols() + more};
    const Array x = make_array(on, wide, dtype, random_values(wide.count(), seed));
    return more > 0 ? x.columns(2, shape.cols()) : x;
  }
};

// What a step is made of besides its random numbers.
struct StepCase {
  CellKind kind;
  Shape state;
  Layout layout = Layout::kContiguous;
  bool context = true, saves_gates = true, b_u_in_float = false;
};

std::vector<Array> forward(const StepCase& one, const Backend& on, DType dtype) {
  const std::int64_t n = one.state.rows(), H = one.state.cols();
  const bool lstm = one.kind == CellKind::kLstm, gru = one.kind == CellKind::kGru;
  const Shape pre_activations{n, gate_count(one.kind) * H};
  const DType sums = accumulation_dtype(dtype);
  const Maker make{on, one.layout};
  const GateInputs inputs{
      .x = make(pre_activations, dtype, 1),
      .context = one.context ? make(pre_activations, dtype, 2) : Array(),
      .h = make(pre_activations, dtype, 3),
      .b_u = gru ? make_array(on, {H}, one.b_u_in_float ? sums : dtype, random_values(H, 4)) : Array()};
  const Array c = lstm ? make(one.state, sums, 6) : Array();
  const bool saves = one.saves_gates && saved_gates(one.kind) > 0;
  Array gates = saves ? make({n, saved_gates(one.kind) * H}, dtype, 7) : Array();
  Array c_next = lstm ? make(one.state, sums, 8) : Array(), h_next = make(one.state, dtype, 9);
  on.cell(one.kind, inputs, make(one.state, dtype, 5), c, gates, c_next, h_next);
  std::vector<Array> outputs{h_next};
  if (gates) outputs.push_back(gates);
  if (c_next) outputs.push_back(c_next);
  return outputs;
}

TEST_P(CudaRecurrence, ForwardAgreesWithTheCpu) {
  for (const CellKind kind : kKinds) {
    for (const Shape& state : kStates) {
      for (const Layout layout : {Layout::kViews, Layout::kContiguous}) {
        const auto check = [&](const StepCase& one) {
          expect_as_on_cpu([&](const Backend& on, DType dtype) { return forward(one, on, dtype); });
        };
        check({.kind = kind, .state = state, .layout = layout});
        check({.kind = kind, .state = state, .layout = layout, .context = false, .saves_gates = false});
        check({.kind = kind, .state = state, .layout = layout, .b_u_in_float = true});
      }
    }
  }
}

// Gradients from random gates and states, with or without dh and dc.
std::vector<Array> backward(CellKind kind, const Shape& state, Sink::Write write, bool with_dh, bool with_dc,
                            const Maker& make, DType dtype) {
  const bool lstm = kind == CellKind::kLstm;
  const DType sums = accumulation_dtype(dtype);
  const Shape pre_activations{state.rows(), gate_count(kind) * state.cols()};
  const Array gates =
      saved_gates(kind) > 0 ? make({state.rows(), saved_gates(kind) * state.cols()}, dtype, 1) : Array();
  const Array h = make(state, dtype, 2), h_next = make(state, dtype, 3), c = lstm ? make(state, sums, 4) : Array(),
              c_next = lstm ? make(state, sums, 5) : Array();
  const Array dh = with_dh ? make(state, dtype, 6) : Array(), dc = lstm && with_dc ? make(state, sums, 7) : Array();
  const Array dx = make(pre_activations, dtype, 8), dcontext = make(pre_activations, dtype, 9),
              dinputs_h = make(pre_activations, dtype, 10), d_h = make(state, dtype, 11),
              d_c = lstm ? make(state, sums, 12) : Array();
  make.on.cell_backward(kind, dh, dc, gates, h, h_next, c, c_next, {{dx, write}, {dcontext, write}, {dinputs_h, write}},
                        {d_h, write}, lstm ? Sink{d_c, write} : Sink());
  std::vector<Array> outputs{dx, dcontext, dinputs_h, d_h};
  if (lstm) outputs.push_back(d_c);
  return outputs;
}

TEST_P(CudaRecurrence, BackwardAgreesWithTheCpu) {
  for (const CellKind kind : kKinds) {
    for (const Shape& state : kStates) {
      for (const Layout layout : {Layout::kViews, Layout::kContiguous}) {
        for (const auto write : kWrites) {
          for (const bool with_dh : {true, false}) {
            for (const bool with_dc : {true, false}) {
              expect_as_on_cpu([&](const Backend& on, DType dtype) {
                return backward(kind, state, write, with_dh, with_dc, {on, layout}, dtype);
              });
            }
          }
        }
      }
    }
  }
}

TEST_P(CudaRecurrence, UnwantedGradientsMayBeAbsent) {
  for (const CellKind kind : kKinds) {
    expect_as_on_cpu([&](const Backend& on, DType dtype) {
      const Maker make{on, Layout::kContiguous};
      const Shape state{3, 16}, pre_activations{3, 16 * gate_count(kind)};
      const bool lstm = kind == CellKind::kLstm;
      const DType sums = accumulation_dtype(dtype);
      const Array c = lstm ? make(state, sums, 4) : Array(), dinputs_h = make(pre_activations, dtype, 5);
      const Array gates = saved_gates(kind) > 0 ? make({3, 16 * saved_gates(kind)}, dtype, 1) : Array();
      on.cell_backward(kind, make(state, dtype, 2), {}, gates, make(state, dtype, 3), make(state, dtype, 6), c, c,
                       {{}, {}, Sink::overwrite(dinputs_h)}, {}, {});
      return std::vector<Array>{dinputs_h};
    });
  }
}

TEST_P(CudaRecurrence, StatesAreTakenAndStoredAsOnTheCpu) {
  for (const Layout layout : {Layout::kViews, Layout::kContiguous}) {
    for (const std::int64_t H : {1, 7, 64, 200}) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        const Maker make{on, layout};
        const auto integers = [&](const Shape& shape, const Doubles& values) {
          return make_array(on, shape, DType::kInt32, values);
        };
        const Array stored = make({7, H}, dtype, 1), initial = make({7, H}, dtype, 2);
        const Array cells = integers({4, 3}, {0, 0, 0, 5, 2, 6, 4, 1, 0, 3, 3, 3}),
                    lengths = integers({4}, {0, 2, 1, 0});
        const MemoryRows memory{integers({4}, {1, 3, 3, 6}), integers({4}, {2, 3, 3, 1}), 3};
        Array state = make({4, H}, dtype, 3);
        on.take_state(stored, initial, cells, lengths, memory, state);
        on.store_state(make({4, H}, dtype, 4), cells, lengths, stored);
        return std::vector<Array>{state, stored};
      });
    }
  }
}

}  // namespace
}  // namespace dragoman::cuda
