#include "dragoman/backend/cuda/recurrence.h"

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

// One thread computes eight columns of one row of the state, with all gates. Blocks are small, so that the few rows of
// the last steps of a loop still occupy several multiprocessors.
constexpr int kThreads = 64;

// The derivatives of sigmoid and tanh, from their values.
__device__ float sigmoid_slope(float y) { return y * (1 - y); }
__device__ float tanh_slope(float y) { return 1 - y * y; }

// The thread's columns [first, first + 8) of row r, in a state of H columns. In an array with a block of H columns for
// each gate, `gate` selects the block. kPacked is as in load_eight(). A matrix or sink whose data is null is absent.
template <bool kPacked>
struct Place {
  std::int64_t H, r, first;

  template <class T>
  __device__ Eight<float> load(const Matrix<const T>& x, int gate = 0) const {
    const Eight<T> values = load_eight<kPacked>(x.row(r) + gate * H, first, H);
    return eight_of([&](int i) { return values[i]; });
  }
  template <class T>
  __device__ Eight<float> load_or_zero(const Matrix<const T>& x, int gate = 0) const {
    if (x.data == nullptr) return Eight<float>{};
    return load(x, gate);
  }
  template <class T>
  __device__ void put(const Eight<float>& x, const Matrix<T>& y, int gate = 0) const {
    if (y.data != nullptr) store_eight<kPacked>(rounded_to<T>(x), y.row(r) + gate * H, first, H);
  }
  template <class T>
  __device__ void put(const Eight<float>& x, const SinkRows<T>& y, int gate = 0) const {
    if (y.data == nullptr) return;
    put_eight<kPacked>(x, SinkRows<T>{y.data + gate * H, y.stride, y.accumulates}, r, first, H);
  }
};

// Calls body(place) for the thread's columns. There is one thread for every eight columns of each row.
template <bool kPacked, class Body>
__device__ void at_own_place(std::int64_t rows, std::int64_t H, const Body& body) {
  const std::int64_t eights = divide_up(H, 8), index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= rows * eights) return;
  const std::int64_t r = index / eights;
  body(Place<kPacked>{H, r, 8 * (index - r * eights)});
}
std::int64_t blocks_for(std::int64_t rows, std::int64_t H) { return divide_up(rows * divide_up(H, 8), kThreads); }

// The arrays of `cell`, named as in the contract; inputs_h is inputs.h. At most one of b_u and b_u_float is present.
template <class T>
struct CellArrays {
  std::int64_t rows, H;
  Matrix<const T> x, context, inputs_h, b_u, h;
  Matrix<const float> b_u_float, c;
  Matrix<T> gates, h_next;
  Matrix<float> c_next;

  // The pre-activation of one gate.
  template <bool kPacked>
  __device__ Eight<float> pre_activation(const Place<kPacked>& at, int gate) const {
    const Eight<float> a = at.load(x, gate), b = at.load_or_zero(context, gate), d = at.load(inputs_h, gate);
    return eight_of([&](int i) { return a[i] + b[i] + d[i]; });
  }
  template <bool kPacked>
  __device__ Eight<float> sigmoid_gate(const Place<kPacked>& at, int gate) const {
    const Eight<float> a = pre_activation(at, gate);
    return eight_of([&](int i) { return sigmoid(a[i]); });
  }
  template <bool kPacked>
  __device__ Eight<float> tanh_gate(const Place<kPacked>& at, int gate) const {
    const Eight<float> a = pre_activation(at, gate);
    return eight_of([&](int i) { return tanhf(a[i]); });
  }
};

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) vanilla_cell(CellArrays<T> arrays) {
  at_own_place<kPacked>(arrays.rows, arrays.H, [&](const auto& at) { at.put(arrays.tanh_gate(at, 0), arrays.h_next); });
}

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) gru_cell(CellArrays<T> arrays) {
  at_own_place<kPacked>(arrays.rows, arrays.H, [&](const auto& at) {
    const Eight<float> z = arrays.sigmoid_gate(at, 0), r = arrays.sigmoid_gate(at, 1);
    const Eight<float> h_n = at.load(arrays.inputs_h, 2), h = at.load(arrays.h);
    const Eight<float> b_u = arrays.b_u_float.data != nullptr ? at.load(arrays.b_u_float) : at.load_or_zero(arrays.b_u);
    const Eight<float> x_n = at.load(arrays.x, 2), context_n = at.load_or_zero(arrays.context, 2);
    const Eight<float> u = eight_of([&](int i) { return h_n[i] + b_u[i]; });
    const Eight<float> n = eight_of([&](int i) { return tanhf(x_n[i] + context_n[i] + r[i] * u[i]); });
    at.put(z, arrays.gates, 0);
    at.put(r, arrays.gates, 1);
    at.put(n, arrays.gates, 2);
    at.put(u, arrays.gates, 3);
    at.put(eight_of([&](int i) { return (1 - z[i]) * h[i] + z[i] * n[i]; }), arrays.h_next);
  });
}

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) lstm_cell(CellArrays<T> arrays) {
  at_own_place<kPacked>(arrays.rows, arrays.H, [&](const auto& at) {
    const Eight<float> i = arrays.sigmoid_gate(at, 0), f = arrays.sigmoid_gate(at, 1), o = arrays.sigmoid_gate(at, 2),
                       g = arrays.tanh_gate(at, 3), c = at.load(arrays.c);
    const Eight<float> c_next = eight_of([&](int k) { return f[k] * c[k] + i[k] * g[k]; });
    at.put(i, arrays.gates, 0);
    at.put(f, arrays.gates, 1);
    at.put(o, arrays.gates, 2);
    at.put(g, arrays.gates, 3);
    at.put(c_next, arrays.c_next);
    at.put(eight_of([&](int k) { return o[k] * tanhf(c_next[k]); }), arrays.h_next);
  });
}

// The arrays of `cell_backward`; dinputs_h is the gradient of inputs.h.
template <class T>
struct BackwardArrays {
  std::int64_t rows, H;
  Matrix<const T> dh, gates, h, h_next;
  Matrix<const float> dc, c, c_next;
  SinkRows<T> dx, dcontext, dinputs_h, d_h;
  SinkRows<float> d_c;

  // Writes the gradient of a pre-activation whose inputs are simply added.
  template <bool kPacked>
  __device__ void put_gate(const Place<kPacked>& at, int gate, const Eight<float>& da) const {
    at.put(da, dx, gate);
    at.put(da, dcontext, gate);
    at.put(da, dinputs_h, gate);
  }
};

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) vanilla_backward(BackwardArrays<T> arrays) {
  at_own_place<kPacked>(arrays.rows, arrays.H, [&](const auto& at) {
    const Eight<float> dh = at.load_or_zero(arrays.dh), h_next = at.load(arrays.h_next);
    arrays.put_gate(at, 0, eight_of([&](int i) { return dh[i] * tanh_slope(h_next[i]); }));
    at.put(Eight<float>{}, arrays.d_h);
  });
}

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) gru_backward(BackwardArrays<T> arrays) {
  at_own_place<kPacked>(arrays.rows, arrays.H, [&](const auto& at) {
    const Eight<float> dh = at.load_or_zero(arrays.dh), h = at.load(arrays.h);
    const Eight<float> z = at.load(arrays.gates, 0), r = at.load(arrays.gates, 1), n = at.load(arrays.gates, 2),
                       u = at.load(arrays.gates, 3);
    const Eight<float> da_n = eight_of([&](int i) { return dh[i] * z[i] * tanh_slope(n[i]); });
    arrays.put_gate(at, 0, eight_of([&](int i) { return dh[i] * (n[i] - h[i]) * sigmoid_slope(z[i]); }));
    arrays.put_gate(at, 1, eight_of([&](int i) { return da_n[i] * u[i] * sigmoid_slope(r[i]); }));
    at.put(da_n, arrays.dx, 2);
    at.put(da_n, arrays.dcontext, 2);
    at.put(eight_of([&](int i) { return da_n[i] * r[i]; }), arrays.dinputs_h, 2);
    at.put(eight_of([&](int i) { return dh[i] * (1 - z[i]); }), arrays.d_h);
  });
}

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) lstm_backward(BackwardArrays<T> arrays) {
  at_own_place<kPacked>(arrays.rows, arrays.H, [&](const auto& at) {
    const Eight<float> dh = at.load_or_zero(arrays.dh), dc_next = at.load_or_zero(arrays.dc);
    const Eight<float> c = at.load(arrays.c), c_next = at.load(arrays.c_next);
    const Eight<float> i = at.load(arrays.gates, 0), f = at.load(arrays.gates, 1), o = at.load(arrays.gates, 2),
                       g = at.load(arrays.gates, 3);
    const Eight<float> t = eight_of([&](int k) { return tanhf(c_next[k]); });
    const Eight<float> dc = eight_of([&](int k) { return dc_next[k] + dh[k] * o[k] * tanh_slope(t[k]); });
    arrays.put_gate(at, 0, eight_of([&](int k) { return dc[k] * g[k] * sigmoid_slope(i[k]); }));
    arrays.put_gate(at, 1, eight_of([&](int k) { return dc[k] * c[k] * sigmoid_slope(f[k]); }));
    arrays.put_gate(at, 2, eight_of([&](int k) { return dh[k] * t[k] * sigmoid_slope(o[k]); }));
    arrays.put_gate(at, 3, eight_of([&](int k) { return dc[k] * i[k] * tanh_slope(g[k]); }));
    at.put(Eight<float>{}, arrays.d_h);
    at.put(eight_of([&](int k) { return dc[k] * f[k]; }), arrays.d_c);
  });
}

// The same kernel for arrays in_eights() and for others.
template <class Arrays>
struct PackedOrNot {
  void (*packed)(Arrays);
  void (*plain)(Arrays);

  void run(const Context& on, bool in_eights, const Arrays& arrays) const {
    launch(on, in_eights ? packed : plain, blocks_for(arrays.rows, arrays.H), kThreads, 0, arrays);
  }
};

// in_eights() for the sinks that are wanted.
bool sinks_in_eights(std::initializer_list<const Sink*> sinks) {
  for (const Sink* sink : sinks) {
    if (sink->wanted() && !in_eights({&sink->array})) return false;
  }
  return true;
}

// A vector in the form of a matrix that has it in every row: its stride is 0.
template <class T>
Matrix<T> in_every_row(const Array& x) {
  return {elements<T>(x), 1, x.cols(), 0};
}

// Where the states of hypotheses are stored.
struct Cells {
  const std::int32_t* cells;
  std::int64_t stride;  // of the rows of cells
  const std::int32_t* lengths;

  // The cell of the token that is `back` before the current one.
  __device__ std::int64_t cell(std::int64_t r, int back) const { return cells[r * stride + lengths[r] - back]; }
};
Cells cells_of(const Array& cells, const Array& lengths) {
  return {elements<const std::int32_t>(cells), cells.row_stride(), elements<const std::int32_t>(lengths)};
}

// Rows are copied as units of type U, whatever their element type. One thread per unit.
template <class U>
__global__ void __launch_bounds__(kThreads)
    take_units(Matrix<U> stored, Matrix<U> initial, Cells cells, const std::int32_t* first, Matrix<U> state) {
  const std::int64_t index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= state.rows * state.cols) return;
  const std::int64_t r = index / state.cols, c = index - r * state.cols;
  const U* from = cells.lengths[r] == 0 ? initial.row(first[r]) : stored.row(cells.cell(r, 1));
  state.row(r)[c] = from[c];
}
template <class U>
__global__ void __launch_bounds__(kThreads) store_units(Matrix<U> state, Cells cells, Matrix<U> stored) {
  const std::int64_t index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= state.rows * state.cols) return;
  const std::int64_t r = index / state.cols, c = index - r * state.cols;
  stored.row(cells.cell(r, 0))[c] = state.row(r)[c];
}

template <class U>
bool in_units(std::initializer_list<const Array*> arrays) {
  for (const Array* x : arrays) {
    const std::size_t size = size_of(x->dtype());
    if (static_cast<std::size_t>(x->cols()) * size % sizeof(U) != 0) return false;
    if (static_cast<std::size_t>(x->row_stride()) * size % sizeof(U) != 0) return false;
    if (reinterpret_cast<std::uintptr_t>(x->raw()) % sizeof(U) != 0) return false;
  }
  return true;
}
template <class U>
Matrix<U> units_of(const Array& x) {
  const auto size = static_cast<std::int64_t>(size_of(x.dtype())), unit = static_cast<std::int64_t>(sizeof(U));
  return {static_cast<U*>(x.raw()), x.rows(), x.cols() * size / unit, x.row_stride() * size / unit};
}
// Calls f.operator()<U>() with the largest unit that all rows consist of.
template <class F>
void dispatch_units(std::initializer_list<const Array*> arrays, const F& f) {
  if (in_units<uint4>(arrays)) return f.template operator()<uint4>();
  if (in_units<std::uint32_t>(arrays)) return f.template operator()<std::uint32_t>();
  f.template operator()<std::uint16_t>();  // bfloat16 is the smallest element type of a state
}

}  // namespace

void Recurrence::do_cell(CellKind kind, const GateInputs& inputs, const Array& h, const Array& c, Array& gates,
                         Array& c_next, Array& h_next) const {
  const bool packed = in_eights({&h_next, &inputs.x, &inputs.context, &inputs.h, &inputs.b_u, &h, &c, &gates, &c_next});
  dispatch(h_next.dtype(), [&]<class T>() {
    const bool b_u_in_float = inputs.b_u && inputs.b_u.dtype() != kDType<T>;
    const Array none;
    const CellArrays<T> arrays{.rows = h_next.rows(),
                               .H = h_next.cols(),
                               .x = matrix<const T>(inputs.x),
                               .context = matrix<const T>(inputs.context),
                               .inputs_h = matrix<const T>(inputs.h),
                               .b_u = in_every_row<const T>(b_u_in_float ? none : inputs.b_u),
                               .h = matrix<const T>(h),
                               .b_u_float = in_every_row<const float>(b_u_in_float ? inputs.b_u : none),
                               .c = matrix<const float>(c),
                               .gates = matrix<T>(gates),
                               .h_next = matrix<T>(h_next),
                               .c_next = matrix<float>(c_next)};
    using Kernel = PackedOrNot<CellArrays<T>>;
    const Kernel kernel = kind == CellKind::kVanilla ? Kernel{vanilla_cell<true, T>, vanilla_cell<false, T>}
                          : kind == CellKind::kGru   ? Kernel{gru_cell<true, T>, gru_cell<false, T>}
                                                     : Kernel{lstm_cell<true, T>, lstm_cell<false, T>};
    kernel.run(*this, packed, arrays);
  });
}

void Recurrence::do_cell_backward(CellKind kind, const Array& dh, const Array& dc, const Array& gates, const Array& h,
                                  const Array& h_next, const Array& c, const Array& c_next, const GateSinks& d_inputs,
                                  Sink d_h, Sink d_c) const {
  // The arrays that the cell reads. The caller may pass others too, so they are left out.
  const bool is_vanilla = kind == CellKind::kVanilla, is_gru = kind == CellKind::kGru;
  const Array none, &state = is_vanilla ? h_next : is_gru ? h : c_next;
  const Array &read_gates = is_vanilla ? none : gates, &read_c = is_vanilla || is_gru ? none : c;
  const bool packed = in_eights({&state, &dh, &dc, &read_gates, &read_c}) &&
                      sinks_in_eights({&d_inputs.x, &d_inputs.context, &d_inputs.h, &d_h, &d_c});
  dispatch(is_vanilla ? h_next.dtype() : gates.dtype(), [&]<class T>() {
    const BackwardArrays<T> arrays{.rows = state.rows(),
                                   .H = state.cols(),
                                   .dh = matrix<const T>(dh),
                                   .gates = matrix<const T>(read_gates),
                                   .h = matrix<const T>(is_gru ? h : none),
                                   .h_next = matrix<const T>(is_vanilla ? h_next : none),
                                   .dc = matrix<const float>(dc),
                                   .c = matrix<const float>(read_c),
                                   .c_next = matrix<const float>(is_vanilla || is_gru ? none : c_next),
                                   .dx = sink_rows<T>(d_inputs.x),
                                   .dcontext = sink_rows<T>(d_inputs.context),
                                   .dinputs_h = sink_rows<T>(d_inputs.h),
                                   .d_h = sink_rows<T>(d_h),
                                   .d_c = sink_rows<float>(d_c)};
    using Kernel = PackedOrNot<BackwardArrays<T>>;
    const Kernel kernel = is_vanilla ? Kernel{vanilla_backward<true, T>, vanilla_backward<false, T>}
                          : is_gru   ? Kernel{gru_backward<true, T>, gru_backward<false, T>}
                                     : Kernel{lstm_backward<true, T>, lstm_backward<false, T>};
    kernel.run(*this, packed, arrays);
  });
}

void Recurrence::do_take_state(const Array& stored, const Array& initial, const Array& cells, const Array& lengths,
                               const MemoryRows& memory, Array& state) const {
  dispatch_units({&stored, &initial, &state}, [&]<class U>() {
    const Matrix<U> to = units_of<U>(state);
    launch(*this, take_units<U>, divide_up(to.rows * to.cols, kThreads), kThreads, 0, units_of<U>(stored),
           units_of<U>(initial), cells_of(cells, lengths), elements<const std::int32_t>(memory.first), to);
  });
}

void Recurrence::do_store_state(const Array& state, const Array& cells, const Array& lengths,
                                const Array& stored) const {
  dispatch_units({&state, &stored}, [&]<class U>() {
    const Matrix<U> from = units_of<U>(state);
    launch(*this, store_units<U>, divide_up(from.rows * from.cols, kThreads), kThreads, 0, from,
           cells_of(cells, lengths), units_of<U>(stored));
  });
}

}  // namespace dragoman::cuda
