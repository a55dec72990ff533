#include "dragoman/nn/recurrent.h"

#include <functional>

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/take_rows.h"
#include "dragoman/params/glorot.h"

namespace dragoman::nn {

using params::Initial;

namespace {

constexpr double kUniformLimit = 0.1;

// The letters of the gates, in the order of their columns.
std::string gate_letters(CellKind kind) {
  return kind == CellKind::kVanilla ? " " : kind == CellKind::kGru ? "zrn" : "ifog";
}

// A matrix or, with no rows, a vector: one block of H columns for each letter. The block of gate g is "W_g"; the only
// block of a vanilla cell is "W".
Parameter gates(const std::string& name, std::int64_t rows, std::int64_t H, const std::string& letters,
                const std::function<Initial(char letter)>& initial) {
  std::vector<Parameter::Columns> columns;
  for (const char letter : letters) columns.push_back({letter == ' ' ? name : name + "_" + letter, H, initial(letter)});
  return Parameter(rows, columns);
}

Initial recurrent_weights(const CellSizes& sizes) {
  return sizes.init == RecurrentInit::kOrthogonal ? Initial::orthogonal()
                                                  : initial_weights(sizes.init, sizes.H, sizes.H);
}

}  // namespace

Initial initial_weights(RecurrentInit init, std::int64_t fan_in, std::int64_t fan_out) {
  return Initial::uniform(init == RecurrentInit::kUniform ? kUniformLimit : params::glorot_limit(fan_in, fan_out));
}

Initial initial_bias(RecurrentInit init) {
  return init == RecurrentInit::kUniform ? Initial::uniform(kUniformLimit) : Initial::constant(0);
}

Cell::Cell(const CellSizes& sizes_) : sizes(sizes_) {
  const std::string letters = gate_letters(sizes.kind);
  const Initial of_inputs = initial_weights(sizes.init, sizes.in + sizes.context, sizes.H),
                of_state = recurrent_weights(sizes);
  W.W = gates("W", sizes.in, sizes.H, letters, [&](char) { return of_inputs; });
  // A forget gate that starts open lets gradients pass through time.
  W.b = gates("b", 0, sizes.H, letters, [&](char letter) {
    return letter == 'f' && sizes.init != RecurrentInit::kUniform ? Initial::constant(1) : initial_bias(sizes.init);
  });
  if (sizes.context > 0) C.W = gates("C", sizes.context, sizes.H, letters, [&](char) { return of_inputs; });
  U.W = gates("U", sizes.H, sizes.H, sizes.resets_before() ? "zr" : letters, [&](char) { return of_state; });
  if (sizes.resets_before()) {
    U_n.W = Parameter({sizes.H, sizes.H}, of_state);
  } else if (sizes.kind == CellKind::kGru) {
    b_u = Parameter({sizes.H}, initial_bias(sizes.init));
  }
}

void Cell::parameters(ParameterVisitor& visit) {
  visit("W", W.W);
  visit("C", C.W);
  visit("U", U.W);
  visit("U_n", U_n.W);
  visit("b", W.b);
  visit("b_u", b_u);
}

namespace {

// h' = (1 - z) h + z n with z, r = sigma(a_z), sigma(a_r) and n = tanh(x_n + (r h) U_n).
// `x` holds x W + b + context, `h_products` the products of h with U_z and U_r, and `times_U_n` multiplies by U_n.
template <class TimesU>
Tensor reset_before(const Tensor& x, const Tensor& h_products, const Tensor& h, const TimesU& times_U_n) {
  using namespace ops;  // NOLINT: an equation follows
  const std::int64_t H = h.dim(-1);
  const Tensor gates = sigmoid(columns(x, 0, 2 * H) + h_products);
  const Tensor z = columns(gates, 0, H), r = columns(gates, H, H);
  const Tensor n = tanh(columns(x, 2 * H, H) + times_U_n(multiply(r, h)));
  return h + multiply(z, n + h * -1.0);
}

Tensor b_u_of(const Cell& cell) { return cell.b_u ? cell.b_u.tensor() : Tensor(); }

}  // namespace

CellState Cell::step(const Tensor& x, const Tensor& context, const CellState& state) const {
  Backend& on = x.backend();
  if (sizes.resets_before()) {
    const Tensor sum = context ? ops::add(x, context) : x;
    return {reset_before(sum, U(state.h), state.h, U_n), {}};
  }
  CellState next{Tensor(on, on.empty_like(state.h.array())), {}};
  if (state.c) next.c = Tensor(on, on.empty_like(state.c.array()));
  ops::cell(sizes.kind, {x, context, U(state.h), b_u_of(*this)}, state, next);
  return next;
}

StepLinear::StepLinear(const Linear& linear, std::int64_t R, const ops::StepInputs& inputs, const Parameter* steps_bias)
    : linear_(&linear) {
  if (linear.W.packed()) return;
  const Tensor bias = steps_bias != nullptr && *steps_bias ? steps_bias->tensor() : Tensor();
  products_.emplace(linear.W.tensor(), linear.b.tensor(), R, inputs, bias);
}

Tensor StepLinear::operator()(const Tensor& x, std::int64_t first) const {
  return products_ ? (*products_)(x, first) : (*linear_)(x);
}

Tensor loop_rows(const Tensor& source, std::int64_t R, std::int64_t d, DType dtype, const Tensor& initial) {
  Backend& on = source.backend();
  const std::int64_t B = initial ? initial.rows() : 0;
  const Array all = on.empty({B + R, d}, dtype);
  if (initial) on.scaled(initial.array(), 1.0, Sink::overwrite(all.row_range(0, B)));
  return record(all, {source, initial}, [&on, B](const Array& d_all, Sinks& sinks) {
    if (sinks.wanted(1)) on.scaled(d_all.row_range(0, B), 1.0, sinks.into(1));
  });
}

namespace {

Tensor or_zeros(const Tensor& initial, Backend& on, const Shape& shape, DType dtype) {
  if (initial) return initial;
  Array zeros = on.empty(shape, dtype);
  on.fill(zeros, 0.0);
  return Tensor(on, zeros);
}

}  // namespace

CellLoop::CellLoop(const Cell& cell, const Tensor& x, const CellState& initial, const data::TimeRows& rows)
    : cell_(cell), rows_(rows), x_(x) {
  Backend& on = x.backend();
  const std::int64_t B = rows.B, R = rows.R, H = cell.sizes.H;
  const DType type = x.array().dtype(), c_type = accumulation_dtype(type);
  h_ = loop_rows(x, R, H, type, or_zeros(initial.h, on, {B, H}, type));
  states_.h = row_range(h_, B, R);
  before_.push_back({row_range(h_, 0, B), {}});
  if (cell.sizes.kind == CellKind::kLstm) {
    c_ = loop_rows(x, R, H, c_type, or_zeros(initial.c, on, {B, H}, c_type));
    states_.c = row_range(c_, B, R);
    before_.front().c = row_range(c_, 0, B);
  }
  state_inputs_ = states_before();
}

const CellState& CellLoop::before(std::int64_t t) {
  if (t == std::ssize(before_)) {
    const CellState& last = after(t - 1);
    const std::int64_t count = rows_.counts[static_cast<std::size_t>(t)];
    before_.push_back({row_range(last.h, 0, count), last.c ? row_range(last.c, 0, count) : Tensor()});
  }
  return before_[static_cast<std::size_t>(t)];
}

Tensor CellLoop::x(std::int64_t t) const {
  const auto at = static_cast<std::size_t>(t);
  return row_range(x_, rows_.starts[at], rows_.counts[at]);
}

void CellLoop::step(std::int64_t t, const Tensor& context) {
  if (!C_) C_.emplace(cell_.C, rows_.R, context_inputs_);
  step_with_product(t, (*C_)(context, rows_.starts[static_cast<std::size_t>(t)]));
}

void CellLoop::step_with_product(std::int64_t t, const Tensor& context_product) {
  step_from(t, before(t), x(t), context_product);
}

void CellLoop::step_with_input(std::int64_t t, const Tensor& x) { step_from(t, before(t), x); }

void CellLoop::step_from(std::int64_t t, const CellState& state, const Tensor& x, const Tensor& context_product) {
  const auto at = static_cast<std::size_t>(t);
  const std::int64_t start = rows_.starts[at], count = rows_.counts[at];
  if (!U_) {
    U_.emplace(cell_.U, rows_.R, state_inputs_, &cell_.b_u);
    if (cell_.U_n.W) U_n_.emplace(cell_.U_n, rows_.R);
  }
  const CellState next{row_range(states_.h, start, count), c_ ? row_range(states_.c, start, count) : Tensor()};
  const Tensor products = (*U_)(state.h, start);
  if (cell_.sizes.resets_before()) {
    const Tensor sum = context_product ? ops::add(x, context_product) : x;
    const auto times_U_n = [&](const Tensor& rh) { return (*U_n_)(rh, start); };
    ops::store_part(reset_before(sum, products, state.h, times_U_n), next.h);
  } else {
    ops::cell(cell_.sizes.kind, {x, context_product, products, b_u_of(cell_)}, state, next);
  }
  after_.push_back(next);
}

void CellLoop::run() {
  for (std::int64_t t = 0; t < rows_.steps(); ++t) step_with_product(t, {});
}

}  // namespace dragoman::nn
