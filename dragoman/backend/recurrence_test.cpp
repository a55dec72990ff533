#include "dragoman/backend/recurrence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

constexpr CellKind kKinds[] = {CellKind::kVanilla, CellKind::kGru, CellKind::kLstm};
const std::vector<Shape> kStates = {{0, 3}, {1, 1}, {1, 33}, {5, 3}, {9, 17}, {2, 64}, {3, 513}};

// x W + b for one row.
Doubles affine(const Doubles& x, const Doubles& W, Doubles b) {
  for (std::size_t j = 0; j < b.size(); ++j) {
    for (std::size_t i = 0; i < x.size(); ++i) b[j] += x[i] * W[i * b.size() + j];
  }
  return b;
}

double sigma(double a) { return 1 / (1 + std::exp(-a)); }

// All that one element of the new state depends on: x, context and h of each gate's pre-activation, then b_u, h and c.
constexpr std::size_t kX = 0, kContext = 1, kH = 2, kB_u = 12, kState = 13, kC = 14, kElementInputs = 15;
struct Element {
  Doubles gates;
  double c_next = 0, h_next = 0;
};

// The formulas of the contract for one element.
Element element(CellKind kind, const Doubles& in) {
  const auto a = [&](std::size_t gate) { return in[3 * gate + kX] + in[3 * gate + kContext] + in[3 * gate + kH]; };
  if (kind == CellKind::kVanilla) return {{}, 0, std::tanh(a(0))};
  if (kind == CellKind::kGru) {
    const double z = sigma(a(0)), r = sigma(a(1)), u = in[3 * 2 + kH] + in[kB_u];
    const double n = std::tanh(in[3 * 2 + kX] + in[3 * 2 + kContext] + r * u);
    return {{z, r, n, u}, 0, (1 - z) * in[kState] + z * n};
  }
  const double i = sigma(a(0)), f = sigma(a(1)), o = sigma(a(2)), g = std::tanh(a(3));
  const double c_next = f * in[kC] + i * g;
  return {{i, f, o, g}, c_next, o * std::tanh(c_next)};
}

// The arrays of one step, in doubles.
struct Expected {
  Doubles gates, c_next, h_next, dx, dinputs_h, d_h, d_c;  // the gradient of inputs.context equals dx
};

class RecurrenceKernel : public KernelTest {
 protected:
  // A step with random inputs. The outputs hold random values before the step.
  struct Step {
    CellKind kind;
    std::int64_t n, H;
    GateInputs inputs;
    Array h, c, gates, c_next, h_next, dh, dc;
  };
  enum class Layout : std::uint8_t { kViews, kContiguous };
  Step make_step(CellKind kind, const Shape& state, Layout layout = Layout::kViews) const {
    const std::int64_t n = state.rows(), H = state.cols();
    const Shape pre_activations{n, gate_count(kind) * H}, gates{n, saved_gates(kind) * H};
    const bool gru = kind == CellKind::kGru, lstm = kind == CellKind::kLstm;
    const auto made = [&](const Shape& shape, std::uint64_t seed) {
      return layout == Layout::kViews ? random_view(shape, seed) : random(shape, seed);
    };
    return {.kind = kind,
            .n = n,
            .H = H,
            .inputs = {.x = made(pre_activations, 1),
                       .context = made(pre_activations, 2),
                       .h = made(pre_activations, 3),
                       .b_u = gru ? random({H}, 4) : Array()},
            .h = made(state, 5),
            .c = lstm ? made(state, 6) : Array(),
            .gates = kind == CellKind::kVanilla ? Array() : made(gates, 7),
            .c_next = lstm ? made(state, 8) : Array(),
            .h_next = made(state, 9),
            .dh = made(state, 10),
            .dc = lstm ? made(state, 11) : Array()};
  }
  void run(Step& step) const { on->cell(step.kind, step.inputs, step.h, step.c, step.gates, step.c_next, step.h_next); }
  void run_backward(const Step& step, const Array& dh, const Array& dc, const GateSinks& d_inputs, Sink d_h,
                    Sink d_c) const {
    on->cell_backward(step.kind, dh, dc, step.gates, step.h, step.h_next, step.c, step.c_next, d_inputs, d_h, d_c);
  }

  // All outputs and gradients of the rows [first, first + count) of a step, in arrays of their own.
  std::vector<Array> results(const Step& all, std::int64_t first, std::int64_t count) const {
    const auto rows = [&](const Array& x) { return x ? x.row_range(first, count) : Array(); };
    const auto output = [&](const Array& like) { return like ? zeros({count, like.cols()}) : Array(); };
    const auto sink = [&](const Array& like) { return like ? Sink::overwrite(output(like)) : Sink(); };
    Step step = all;
    step.inputs = {rows(all.inputs.x), rows(all.inputs.context), rows(all.inputs.h), all.inputs.b_u};
    step.h = rows(all.h);
    step.c = rows(all.c);
    step.gates = output(all.gates);
    step.c_next = output(all.c_next);
    step.h_next = output(all.h_next);
    run(step);
    const GateSinks d_inputs{sink(all.inputs.x), sink(all.inputs.context), sink(all.inputs.h)};
    const Sink d_h = sink(all.h), d_c = sink(all.c);
    run_backward(step, rows(all.dh), rows(all.dc), d_inputs, d_h, d_c);
    std::vector<Array> made = {step.h_next, d_inputs.x.array, d_inputs.context.array, d_inputs.h.array, d_h.array};
    if (step.gates) made.push_back(step.gates);
    if (step.c_next) made.insert(made.end(), {step.c_next, d_c.array});
    return made;
  }

  // What the step gives by the definition, element by element. The gradients are central differences.
  Expected expect(const Step& step, const Array& dh = {}, const Array& dc = {}) const {
    const auto gates = static_cast<std::size_t>(gate_count(step.kind)),
               saved = static_cast<std::size_t>(saved_gates(step.kind));
    const auto H = static_cast<std::size_t>(step.H), count = static_cast<std::size_t>(step.n) * H;
    const auto read = [&](const Array& x) { return x ? values(x) : Doubles(); };
    const auto at = [](const Doubles& x, std::size_t i) { return x.empty() ? 0.0 : x[i]; };
    const Doubles inputs[] = {read(step.inputs.x), read(step.inputs.context), read(step.inputs.h)};
    const Doubles b_u = read(step.inputs.b_u), h = read(step.h), c = read(step.c), dh_ = read(dh), dc_ = read(dc);
    Expected all{Doubles(saved * count), Doubles(step.c ? count : 0), Doubles(count),
                 Doubles(gates * count), Doubles(gates * count),      Doubles(count),
                 Doubles(count)};
    for (std::size_t e = 0; e < count; ++e) {
      const auto place = [&](std::size_t gate, std::size_t of) { return e / H * of * H + gate * H + e % H; };
      Doubles in(kElementInputs, 0.0);
      for (std::size_t gate = 0; gate < gates; ++gate) {
        for (std::size_t i = 0; i < 3; ++i) in[3 * gate + i] = at(inputs[i], place(gate, gates));
      }
      in[kB_u] = at(b_u, e % H);
      in[kState] = at(h, e);
      in[kC] = at(c, e);
      const Element made = element(step.kind, in);
      for (std::size_t gate = 0; gate < saved; ++gate) all.gates[place(gate, saved)] = made.gates[gate];
      if (step.c) all.c_next[e] = made.c_next;
      all.h_next[e] = made.h_next;
      if (!dh && !dc) continue;

      const auto loss = [&](const Doubles& moved) {
        const Element to = element(step.kind, moved);
        return at(dh_, e) * to.h_next + at(dc_, e) * to.c_next;
      };
      const Doubles slopes = central_differences(loss, in);
      for (std::size_t gate = 0; gate < gates; ++gate) {
        all.dx[place(gate, gates)] = slopes[3 * gate + kX];
        all.dinputs_h[place(gate, gates)] = slopes[3 * gate + kH];
      }
      all.d_h[e] = slopes[kState];
      all.d_c[e] = slopes[kC];
    }
    return all;
  }

  // Checks every gradient of a step alone, in every kind of sink.
  void expect_gradients(const Step& step, const Array& dh, const Array& dc) const {
    // The differences are exact to about ten digits.
    const double slack = dtype() == DType::kFloat64 ? 1e4 : 1;
    const Shape pre_activations{step.n, gate_count(step.kind) * step.H}, state{step.n, step.H};
    const Expected expected = expect(step, dh, dc);
    const auto check = [&](const Shape& shape, const Doubles& gradient, const std::function<void(Sink)>& kernel) {
      expect_in_every_sink(shape, gradient, kernel, slack);
    };
    check(pre_activations, expected.dx, [&](Sink dx) { run_backward(step, dh, dc, {dx, {}, {}}, {}, {}); });
    check(pre_activations, expected.dx, [&](Sink dcontext) { run_backward(step, dh, dc, {{}, dcontext, {}}, {}, {}); });
    check(pre_activations, expected.dinputs_h, [&](Sink d) { run_backward(step, dh, dc, {{}, {}, d}, {}, {}); });
    check(state, expected.d_h, [&](Sink d_h) { run_backward(step, dh, dc, {}, d_h, {}); });
    if (step.kind != CellKind::kLstm) return;
    check(state, expected.d_c, [&](Sink d_c) { run_backward(step, dh, dc, {}, {}, d_c); });
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, RecurrenceKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

TEST_P(RecurrenceKernel, GruWorkedExample) {
  const Doubles x{1, -0.5}, h{0.5, -0.25};
  // The columns of z, then those of r and n.
  const Doubles W{0.1, 0.3, -0.3, 0.2, 0.7, -0.4, -0.2, 0.4, 0.5, 0.1, 0.2, 0.9};
  const Doubles U{0.5, -0.1, 0.4, 0.3, -0.5, 0.8, 0.2, 0.6, -0.6, 0.2, 0.3, 0.1};
  const Doubles b{0.1, -0.1, 0, 0.2, 0.05, -0.05};
  Array gates = zeros({1, 8}), h_next = zeros({1, 2}), none;
  const GateInputs inputs{.x = array({1, 6}, affine(x, W, b)),
                          .context = {},
                          .h = array({1, 6}, affine(h, U, Doubles(6, 0.0))),
                          .b_u = array({2}, {0.1, 0.2})};
  on->cell(CellKind::kGru, inputs, array({1, 2}, h), {}, gates, none, h_next);
  expect_near(values(gates.columns(0, 6)), {0.622459, 0.450166, 0.450166, 0.610639, 0.499555, -0.499682}, 1e-6);
  expect_near(values(h_next), {0.499723, -0.362398}, 1e-6);
}

TEST_P(RecurrenceKernel, LstmWorkedExample) {
  // The columns of i, then those of f, o and g.
  const Doubles W{0.1, -0.2, 0.5, 0.1, -0.1, 0.6, 0.4, -0.5, 0.3, 0.4, -0.3, 0.2, 0.2, -0.2, 0.6, 0.1};
  const Doubles U{0.2, 0.1, 0.1, -0.4, 0.3, 0.2, -0.2, 0.3, -0.1, 0.3, 0.2, 0.2, 0.1, -0.1, 0.5, 0.4};
  const Doubles b{0, 0.1, 1, 1, 0.05, 0, 0, -0.1};
  Array gates = zeros({1, 8}), c = zeros({1, 2}), h = zeros({1, 2});
  const auto step = [&](const Doubles& x) {
    Array c_next = zeros({1, 2}), h_next = zeros({1, 2});
    const GateInputs inputs{.x = array({1, 8}, affine(x, W, b)),
                            .context = {},
                            .h = array({1, 8}, affine(values(h), U, Doubles(8, 0.0))),
                            .b_u = {}};
    on->cell(CellKind::kLstm, inputs, h, c, gates, c_next, h_next);
    c = c_next;
    h = h_next;
  };
  step({1, -0.5});
  expect_near(values(gates), {0.487503, 0.425557, 0.838891, 0.731059, 0.462570, 0.668188, 0.099668, -0.571670}, 1e-6);
  expect_near(values(c), {0.048588, -0.243278}, 1e-6);
  expect_near(values(h), {0.022458, -0.159423}, 1e-6);
  step({0.25, 2});
  expect_near(values(c), {0.580172, -0.251089}, 1e-6);
  expect_near(values(h), {0.314969, -0.108918}, 1e-6);
}

TEST_P(RecurrenceKernel, ForwardFollowsItsFormulas) {
  for (const CellKind kind : kKinds) {
    for (const Layout layout : {Layout::kViews, Layout::kContiguous}) {
      for (const Shape& state : kStates) {
        Step step = make_step(kind, state, layout);
        run(step);
        const Expected expected = expect(step);
        expect_values(step.h_next, expected.h_next);
        if (step.gates) expect_values(step.gates, expected.gates);
        if (step.c_next) expect_values(step.c_next, expected.c_next);
      }
    }
  }
}

TEST_P(RecurrenceKernel, ContextBiasAndSavedGatesAreOptional) {
  for (const CellKind kind : kKinds) {
    for (const Shape& state : {Shape{5, 3}, {2, 64}}) {
      Step step = make_step(kind, state);
      run(step);
      const Doubles with_gates = values(step.h_next);
      step.gates = {};
      step.h_next = random_view(state, 10);
      run(step);
      EXPECT_EQ(values(step.h_next), with_gates);
      step.inputs.context = step.inputs.b_u = {};
      run(step);
      expect_values(step.h_next, expect(step).h_next);
    }
  }
}

TEST_P(RecurrenceKernel, LargePreActivationsSaturate) {
  for (const double a : {-1000.0, 1000.0}) {
    Step step = make_step(CellKind::kLstm, {1, 3});
    step.inputs.x = array({1, 12}, Doubles(12, a));
    run(step);
    const double sigmoid = a > 0 ? 1 : 0, tanh = a > 0 ? 1 : -1;
    EXPECT_EQ(values(step.gates.columns(0, 9)), Doubles(9, sigmoid));
    EXPECT_EQ(values(step.gates.columns(9, 3)), Doubles(3, tanh));
    expect_values(step.c_next, map(values(step.c), [&](double c) { return sigmoid * (c + tanh); }));
  }
}

TEST_P(RecurrenceKernel, GradientsMatchFiniteDifferences) {
  for (const CellKind kind : kKinds) {
    for (const Layout layout : {Layout::kViews, Layout::kContiguous}) {
      for (const Shape& state : kStates) {
        Step step = make_step(kind, state, layout);
        run(step);
        expect_gradients(step, step.dh, step.dc);
      }
    }
  }
}

TEST_P(RecurrenceKernel, AnAbsentGradientIsZero) {
  const Shape state{5, 19};
  Step step = make_step(CellKind::kLstm, state);
  run(step);
  expect_gradients(step, step.dh, {});
  expect_gradients(step, {}, step.dc);
  for (const CellKind kind : kKinds) {
    Step other = make_step(kind, state);
    run(other);
    expect_gradients(other, {}, {});
  }
}

TEST_P(RecurrenceKernel, RowsDoNotDependOnOtherRows) {
  for (const CellKind kind : kKinds) {
    for (const Layout layout : {Layout::kViews, Layout::kContiguous}) {
      for (const Shape& state : {Shape{20, 19}, {9, 40}, {3, 300}}) {
        const Step step = make_step(kind, state, layout);
        const std::vector<Array> all = results(step, 0, step.n);
        for (std::int64_t r = 0; r < step.n; ++r) {
          const std::vector<Array> alone = results(step, r, 1);
          for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(values(alone[i]), values(all[i].row_range(r, 1)));
        }
      }
    }
  }
}

TEST_P(RecurrenceKernel, AStepStartsFromTheInitialStateOrTheStateBeforeIt) {
  const std::int64_t H = 5;
  const Array stored = random_view({7, H}, 1), initial = random_view({7, H}, 2);
  const Array cells = make_array(*on, {4, 3}, DType::kInt32, {0, 0, 0, 5, 2, 6, 4, 1, 0, 3, 3, 3});
  const Array lengths = integers({0, 2, 1, 0});
  const MemoryRows memory{integers({1, 3, 3, 6}), integers({2, 3, 3, 1}), 3};
  Array state = random_view({4, H}, 3);
  on->take_state(stored, initial, cells, lengths, memory, state);
  const auto row = [&](const Array& x, std::int64_t r) { return values(x.row_range(r, 1)); };
  EXPECT_EQ(row(state, 0), row(initial, 1));
  EXPECT_EQ(row(state, 1), row(stored, 2));
  EXPECT_EQ(row(state, 2), row(stored, 4));
  EXPECT_EQ(row(state, 3), row(initial, 6));
}

TEST_P(RecurrenceKernel, AStateIsStoredInTheCellOfTheCurrentToken) {
  for (const std::int64_t H : {5, 16}) {
    const Array stored = random_view({7, H}, 1), old = random_view({7, H}, 1), state = random({4, H}, 3);
    const Array cells = make_array(*on, {4, 3}, DType::kInt32, {0, 9, 9, 5, 2, 6, 4, 1, 9, 3, 9, 9});
    on->store_state(state, cells, integers({0, 2, 1, 0}), stored);
    const auto row = [&](const Array& x, std::int64_t r) { return values(x.row_range(r, 1)); };
    const std::int64_t rows[] = {0, 6, 1, 3};
    for (std::int64_t r = 0; r < 4; ++r) EXPECT_EQ(row(stored, rows[r]), row(state, r));
    for (const std::int64_t other : {2, 4, 5}) EXPECT_EQ(row(stored, other), row(old, other));
  }
}

TEST_P(RecurrenceKernel, NoRowsTakeAndStoreNothing) {
  const Array stored = random({3, 4}, 1), cells = make_array(*on, {0, 3}, DType::kInt32, {}), none = integers({});
  const Doubles old = values(stored);
  Array state = zeros({0, 4});
  on->take_state(stored, stored, cells, none, {none, none, 0}, state);
  on->store_state(state, cells, none, stored);
  EXPECT_EQ(values(stored), old);
}

TEST_P(RecurrenceKernel, ShapesThatDoNotFitAreRefused) {
  const Shape state{2, 3};
  for (const CellKind kind : kKinds) {
    const auto refused = [&](const std::function<void(Step&)>& change) {
      Step step = make_step(kind, state);
      change(step);
      EXPECT_THROW(run(step), ShapeError);
    };
    refused([&](Step& step) { step.inputs.x = zeros({2, 5}); });
    refused([&](Step& step) { step.inputs.h = zeros({3, gate_count(kind) * 3}); });
    refused([&](Step& step) { step.inputs.context = zeros({2, 3 + gate_count(kind)}); });
    refused([&](Step& step) { step.inputs.b_u = zeros({4}); });
    refused([&](Step& step) { step.h = zeros({2, 4}); });
    refused([&](Step& step) { step.c = zeros({2, 4}); });
    refused([&](Step& step) { step.gates = zeros({2, 9}); });
    refused([&](Step& step) { step.c_next = kind == CellKind::kLstm ? Array() : zeros(state); });

    const Step step = make_step(kind, state);
    const auto sink = [&](const Shape& shape) { return Sink::overwrite(zeros(shape)); };
    const Sink dx = sink({2, gate_count(kind) * 3});
    EXPECT_THROW(run_backward(step, zeros({2, 4}), {}, {dx, {}, {}}, {}, {}), ShapeError);
    EXPECT_THROW(run_backward(step, zeros(state), {}, {sink({2, 7}), {}, {}}, {}, {}), ShapeError);
    EXPECT_THROW(run_backward(step, zeros(state), {}, {dx, {}, {}}, sink({3, 3}), {}), ShapeError);
    EXPECT_THROW(run_backward(step, zeros(state), {}, {dx, {}, {}}, {}, sink({3, 2})), ShapeError);
  }
  const Array cells = make_array(*on, {2, 3}, DType::kInt32, Doubles(6, 0.0)), rows = integers({0, 0});
  Array taken = zeros(state);
  EXPECT_THROW(on->take_state(zeros({5, 4}), zeros({5, 3}), cells, rows, {rows, rows, 1}, taken), ShapeError);
  EXPECT_THROW(on->take_state(zeros({5, 3}), zeros({5, 3}), cells, integers({0}), {rows, rows, 1}, taken), ShapeError);
  EXPECT_THROW(on->store_state(zeros({3, 3}), cells, rows, zeros({5, 3})), ShapeError);
}

TEST_P(RecurrenceKernel, ALayerInFullPrecisionIsComputedStepByStep) {
  const Array counts = integers({2, 1});
  for (const CellKind kind : kKinds) {
    const std::int64_t H = 16, width = gate_count(kind) * H;
    const CellRun good{.x = zeros({3, width}),
                       .U = zeros({H, width}),
                       .b_u = {},
                       .h_start = {},
                       .c_start = {},
                       .h = zeros({3, H}),
                       .c = kind == CellKind::kLstm ? zeros({3, H}) : Array()};
    EXPECT_FALSE(on->can_run_cells(kind, dtype(), H, 1));
    EXPECT_THROW(on->run_cells(kind, counts, std::vector{good}), DeviceError);

    EXPECT_THROW(on->run_cells(kind, counts, {}), ShapeError);
    EXPECT_THROW(on->run_cells(kind, zeros({2}), std::vector{good}), ShapeError);
    const auto refused = [&](const std::function<void(CellRun&)>& change) {
      std::vector<CellRun> runs{good, good};
      change(runs.back());
      EXPECT_THROW(on->run_cells(kind, counts, runs), ShapeError);
    };
    refused([&](CellRun& run) { run.x = zeros({3, width + 1}); });
    refused([&](CellRun& run) { run.U = zeros({H + 1, width}); });
    refused([&](CellRun& run) { run.b_u = zeros({H + 1}); });
    refused([&](CellRun& run) { run.h = zeros({4, H}); });
    refused([&](CellRun& run) { run.h_start = zeros({2, H + 1}); });
    refused([&](CellRun& run) { run.c_start = zeros({2, H + 1}); });
    refused([&](CellRun& run) { run.c = kind == CellKind::kLstm ? Array() : zeros({3, H}); });
  }
}

}  // namespace
}  // namespace dragoman
