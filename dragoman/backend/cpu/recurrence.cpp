#include "dragoman/backend/cpu/recurrence.h"

#include <cstring>

#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// A piece of work is kRows rows times kColumns columns of the state, with all gates of these columns. Columns are split
// too, because a step may have a single row. The column blocks do not depend on the number of rows and consist of whole
// vectors, so the bits of a row do not depend on the other rows.
constexpr std::int64_t kRows = 8, kColumns = 256;

// A sink at one row. `row` is null if the gradient is not wanted.
template <class T>
struct SinkRow {
  T* row;
  bool accumulates;
};

// One vector of columns of a state of H columns: all lanes if kWhole, otherwise the first `count`. In an array with a
// block of H columns for each gate, `gate` selects the block.
template <class T, bool kWhole>
struct Columns {
  std::int64_t H, first, count;
  T* scratch;  // a whole vector that a phase passes to the next one

  Vec<T> operator()(const T* row, std::int64_t gate = 0) const {
    const T* from = row + gate * H + first;
    if constexpr (kWhole) {
      return load(from);
    } else {
      return load_some(from, count);
    }
  }
  Vec<T> or_zero(const T* row, std::int64_t gate = 0) const { return row == nullptr ? Vec<T>{} : (*this)(row, gate); }
  // Does nothing if the row is null.
  void put(T* row, std::int64_t gate, Vec<T> v) const {
    if (row == nullptr) return;
    T* to = row + gate * H + first;
    if constexpr (kWhole) {
      store(to, v);
    } else {
      store_some(to, v, count);
    }
  }
  void put(const SinkRow<T>& sink, std::int64_t gate, Vec<T> v) const {
    put(sink.row, gate, sink.accumulates ? (*this)(sink.row, gate) + v : v);
  }
};

// Calls phase(row(r), columns) for every row and every vector of its columns. A row's block of columns goes through one
// phase after the other. A long computation is split into phases so that the processor can work on several vectors at
// once: in one phase, their chains of dependent instructions would be too long for that.
template <class T, class Row, class... Phases>
void for_vectors(const Context& on, std::int64_t rows, std::int64_t H, const Row& row, const Phases&... phases) {
  const std::int64_t across = divide_up(H, kColumns);
  on.launch(divide_up(rows, kRows) * across, [&](std::int64_t piece) {
    const std::int64_t top = piece / across * kRows, left = piece % across * kColumns;
    T scratch[kColumns];
    for (std::int64_t r = top; r < std::min(rows, top + kRows); ++r) {
      // A copy of the pointers, so that the compiler knows that storing results does not change them.
      const auto at_row = row(r);
      const auto run = [&](const auto& phase) {
        for_lanes<T>(
            std::min(kColumns, H - left),
            [&](std::int64_t i) {
              phase(at_row, Columns<T, true>{H, left + i, kLanes<T>, scratch + i});
            },
            [&](std::int64_t i, std::int64_t count) {
              phase(at_row, Columns<T, false>{H, left + i, count, scratch + i});
            });
      };
      (run(phases), ...);
    }
  });
}

// The matrix of an array that may be absent: then row() returns null.
template <class T>
Matrix<T> optional_matrix(const Array& x) {
  return x ? matrix<T>(x) : Matrix<T>{};
}

// The arrays of `cell` at one row; null if absent. The names are those of the contract; inputs_h is inputs.h.
template <class T>
struct CellRow {
  const T *x, *context, *inputs_h, *b_u, *h, *c;
  T *gates, *c_next, *h_next;
};

template <class T>
struct CellArrays {
  Matrix<const T> x, context, inputs_h, h, c;
  const T* b_u;
  Matrix<T> gates, c_next, h_next;

  CellRow<T> row(std::int64_t r) const {
    return {x.row(r), context.row(r), inputs_h.row(r), b_u,          h.row(r),
            c.row(r), gates.row(r),   c_next.row(r),   h_next.row(r)};
  }
};

// The pre-activation of one gate.
template <class T, class At>
Vec<T> pre_activation(const CellRow<T>& row, At at, std::int64_t gate) {
  return at(row.x, gate) + at.or_zero(row.context, gate) + at(row.inputs_h, gate);
}

template <class T, class At>
void vanilla(const CellRow<T>& row, At at) {
  at.put(row.h_next, 0, tanh(pre_activation(row, at, 0)));
}

// Phase 1: r and u; the scratch memory receives the pre-activation of n. Phase 2: z, n and the state.
template <class T, class At>
void gru_reset(const CellRow<T>& row, At at) {
  const Vec<T> r = sigmoid(pre_activation(row, at, 1)), u = at(row.inputs_h, 2) + at.or_zero(row.b_u);
  store(at.scratch, at(row.x, 2) + at.or_zero(row.context, 2) + r * u);
  at.put(row.gates, 1, r);
  at.put(row.gates, 3, u);
}
template <class T, class At>
void gru_update(const CellRow<T>& row, At at) {
  const Vec<T> z = sigmoid(pre_activation(row, at, 0)), n = tanh(load(at.scratch));
  const Vec<T> h_next = (1 - z) * at(row.h) + z * n;
  at.put(row.gates, 0, z);
  at.put(row.gates, 2, n);
  at.put(row.h_next, 0, h_next);
}

// Phase 1: the gates and c'; the scratch memory receives o. Phase 2: the state.
template <class T, class At>
void lstm_gates(const CellRow<T>& row, At at) {
  const Vec<T> i = sigmoid(pre_activation(row, at, 0)), f = sigmoid(pre_activation(row, at, 1)),
               o = sigmoid(pre_activation(row, at, 2)), g = tanh(pre_activation(row, at, 3));
  const Vec<T> c_next = f * at(row.c) + i * g;
  store(at.scratch, o);
  at.put(row.gates, 0, i);
  at.put(row.gates, 1, f);
  at.put(row.gates, 2, o);
  at.put(row.gates, 3, g);
  at.put(row.c_next, 0, c_next);
}
template <class T, class At>
void lstm_state(const CellRow<T>& row, At at) {
  at.put(row.h_next, 0, load(at.scratch) * tanh(at(row.c_next)));
}

// The arrays of `cell_backward` at one row; null if absent.
template <class T>
struct BackwardRow {
  const T *dh, *dc, *gates, *h, *h_next, *c, *c_next;
  SinkRow<T> dx, dcontext, dinputs_h, d_h, d_c;

  // Writes the gradient of a pre-activation whose inputs are simply added.
  template <class At>
  void put_gate(At at, std::int64_t gate, Vec<T> da) const {
    at.put(dx, gate, da);
    at.put(dcontext, gate, da);
    at.put(dinputs_h, gate, da);
  }
};

template <class T>
struct SinkMatrix {
  Matrix<T> matrix;
  bool accumulates;

  explicit SinkMatrix(const Sink& sink)
      : matrix(sink.wanted() ? DRAGOMAN_CPU_BODY::matrix<T>(sink.array) : Matrix<T>{}),
        accumulates(sink.accumulates()) {}
  SinkRow<T> row(std::int64_t r) const { return {matrix.row(r), accumulates}; }
};

template <class T>
struct BackwardArrays {
  Matrix<const T> dh, dc, gates, h, h_next, c, c_next;
  SinkMatrix<T> dx, dcontext, dinputs_h, d_h, d_c;

  BackwardRow<T> row(std::int64_t r) const {
    return {dh.row(r),     dc.row(r), gates.row(r),    h.row(r),         h_next.row(r), c.row(r),
            c_next.row(r), dx.row(r), dcontext.row(r), dinputs_h.row(r), d_h.row(r),    d_c.row(r)};
  }
};

// The derivatives of sigma and tanh, from their values.
template <class V>
V sigmoid_slope(V y) {
  return y * (1 - y);
}
template <class V>
V tanh_slope(V y) {
  return 1 - y * y;
}

template <class T, class At>
void vanilla_backward(const BackwardRow<T>& row, At at) {
  row.put_gate(at, 0, at.or_zero(row.dh) * tanh_slope(at(row.h_next)));
  at.put(row.d_h, 0, Vec<T>{});
}

template <class T, class At>
void gru_backward(const BackwardRow<T>& row, At at) {
  const Vec<T> dh = at.or_zero(row.dh), h = at(row.h);
  const Vec<T> z = at(row.gates, 0), r = at(row.gates, 1), n = at(row.gates, 2), u = at(row.gates, 3);
  const Vec<T> da_n = dh * z * tanh_slope(n);
  row.put_gate(at, 0, dh * (n - h) * sigmoid_slope(z));
  row.put_gate(at, 1, da_n * u * sigmoid_slope(r));
  at.put(row.dx, 2, da_n);
  at.put(row.dcontext, 2, da_n);
  at.put(row.dinputs_h, 2, da_n * r);
  at.put(row.d_h, 0, dh * (1 - z));
}

template <class T, class At>
void lstm_backward(const BackwardRow<T>& row, At at) {
  const Vec<T> dh = at.or_zero(row.dh), c = at(row.c), t = tanh(at(row.c_next));
  const Vec<T> i = at(row.gates, 0), f = at(row.gates, 1), o = at(row.gates, 2), g = at(row.gates, 3);
  const Vec<T> dc = at.or_zero(row.dc) + dh * o * tanh_slope(t);
  row.put_gate(at, 0, dc * g * sigmoid_slope(i));
  row.put_gate(at, 1, dc * c * sigmoid_slope(f));
  row.put_gate(at, 2, dh * t * sigmoid_slope(o));
  row.put_gate(at, 3, dc * i * tanh_slope(g));
  at.put(row.d_h, 0, Vec<T>{});
  at.put(row.d_c, 0, dc * f);
}

// The start of row r, in bytes.
char* bytes_of(const Array& x, std::int64_t r) {
  return static_cast<char*>(x.raw()) + r * x.row_stride() * static_cast<std::int64_t>(size_of(x.dtype()));
}
std::size_t row_bytes(const Array& x) { return static_cast<std::size_t>(x.cols()) * size_of(x.dtype()); }

}  // namespace

void Recurrence::do_cell(CellKind kind, const GateInputs& inputs, const Array& h, const Array& c, Array& gates,
                         Array& c_next, Array& h_next) const {
  dispatch(h_next.dtype(), [&]<class T>() {
    expect_elements<T>({&inputs.x, &inputs.context, &inputs.h, &inputs.b_u, &h, &c, &gates, &c_next});
    const CellArrays<T> arrays{.x = matrix<const T>(inputs.x),
                               .context = optional_matrix<const T>(inputs.context),
                               .inputs_h = matrix<const T>(inputs.h),
                               .h = optional_matrix<const T>(h),
                               .c = optional_matrix<const T>(c),
                               .b_u = inputs.b_u ? inputs.b_u.data<const T>() : nullptr,
                               .gates = optional_matrix<T>(gates),
                               .c_next = optional_matrix<T>(c_next),
                               .h_next = matrix<T>(h_next)};
    using Row = CellRow<T>;
    const auto run = [&](const auto&... phases) {
      for_vectors<T>(
          *this, h_next.rows(), h_next.cols(), [&](std::int64_t r) { return arrays.row(r); }, phases...);
    };
    switch (kind) {
      case CellKind::kVanilla: return run([](const Row& row, auto at) { vanilla(row, at); });
      case CellKind::kGru:
        return run([](const Row& row, auto at) { gru_reset(row, at); },
                   [](const Row& row, auto at) { gru_update(row, at); });
      case CellKind::kLstm:
        return run([](const Row& row, auto at) { lstm_gates(row, at); },
                   [](const Row& row, auto at) { lstm_state(row, at); });
    }
  });
}

void Recurrence::do_cell_backward(CellKind kind, const Array& dh, const Array& dc, const Array& gates, const Array& h,
                                  const Array& h_next, const Array& c, const Array& c_next, const GateSinks& d_inputs,
                                  Sink d_h, Sink d_c) const {
  const Array& saved = kind == CellKind::kVanilla ? h_next : kind == CellKind::kGru ? h : c_next;
  dispatch(saved.dtype(), [&]<class T>() {
    const BackwardArrays<T> arrays{.dh = optional_matrix<const T>(dh),
                                   .dc = optional_matrix<const T>(dc),
                                   .gates = optional_matrix<const T>(gates),
                                   .h = optional_matrix<const T>(h),
                                   .h_next = optional_matrix<const T>(h_next),
                                   .c = optional_matrix<const T>(c),
                                   .c_next = optional_matrix<const T>(c_next),
                                   .dx = SinkMatrix<T>(d_inputs.x),
                                   .dcontext = SinkMatrix<T>(d_inputs.context),
                                   .dinputs_h = SinkMatrix<T>(d_inputs.h),
                                   .d_h = SinkMatrix<T>(d_h),
                                   .d_c = SinkMatrix<T>(d_c)};
    const auto run = [&](const auto& body) {
      for_vectors<T>(
          *this, saved.rows(), saved.cols(), [&](std::int64_t r) { return arrays.row(r); }, body);
    };
    switch (kind) {
      case CellKind::kVanilla: return run([](const BackwardRow<T>& row, auto at) { vanilla_backward(row, at); });
      case CellKind::kGru: return run([](const BackwardRow<T>& row, auto at) { gru_backward(row, at); });
      case CellKind::kLstm: return run([](const BackwardRow<T>& row, auto at) { lstm_backward(row, at); });
    }
  });
}

void Recurrence::do_take_state(const Array& stored, const Array& initial, const Array& cells, const Array& lengths,
                               const MemoryRows& memory, Array& state) const {
  const auto *cell = cells.data<std::int32_t>(), *length = lengths.data<std::int32_t>(),
             *first = memory.first.data<std::int32_t>();
  const std::int64_t steps = cells.row_stride();
  launch(divide_up(state.rows(), kRowBlock), [&](std::int64_t block) {
    for_rows(state.rows(), block, [&](std::int64_t r) {
      const char* from =
          length[r] == 0 ? bytes_of(initial, first[r]) : bytes_of(stored, cell[r * steps + length[r] - 1]);
      std::memcpy(bytes_of(state, r), from, row_bytes(state));
    });
  });
}

void Recurrence::do_store_state(const Array& state, const Array& cells, const Array& lengths,
                                const Array& stored) const {
  const auto *cell = cells.data<std::int32_t>(), *length = lengths.data<std::int32_t>();
  const std::int64_t steps = cells.row_stride();
  launch(divide_up(state.rows(), kRowBlock), [&](std::int64_t block) {
    for_rows(state.rows(), block, [&](std::int64_t r) {
      std::memcpy(bytes_of(stored, cell[r * steps + length[r]]), bytes_of(state, r), row_bytes(state));
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
