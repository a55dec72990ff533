#include "dragoman/nn/past_attention.h"

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::nn {

PastAttention::PastAttention(const CellSizes& sizes) {
  const auto weights = [&](std::int64_t in) {
    return Parameter({in, sizes.H}, initial_weights(sizes.init, in, sizes.H));
  };
  W_h.W = weights(sizes.H);
  W_x.W = weights(sizes.in);
  W_t.W = weights(sizes.H);
  v = Parameter({sizes.H}, initial_weights(sizes.init, sizes.H, 1)).used_as(params::Use::kExact);
}

void PastAttention::parameters(ParameterVisitor& visit) {
  visit("W_h", W_h.W);
  visit("W_x", W_x.W);
  visit("W_t", W_t.W);
  visit("v", v);
}

namespace {

// The values of the past, in the order of the sentences: step t of a sentence is in its row t, so that the steps before
// it are neighbours.
class Past {
 public:
  Past(const Tensor& source, const data::TimeRows& rows, std::int64_t d, DType dtype)
      : rows_(rows), all_(row_range(loop_rows(source, rows.R, d, dtype), 0, rows.R)) {}
  const Tensor& all() const { return all_; }
  void store(std::int64_t t, const Tensor& x) const {
    const auto at = static_cast<std::size_t>(t);
    ops::place_part(x, rows_.forwards.taken.columns(rows_.starts[at], rows_.counts[at]), all_);
  }

 private:
  const data::TimeRows& rows_;
  Tensor all_;
};

}  // namespace

CellState PastAttention::run(const Cell& cell, const Tensor& x, const data::TimeRows& rows) const {
  Backend& on = x.backend();
  const std::int64_t H = cell.sizes.H;
  const DType type = x.array().dtype(), c_type = accumulation_dtype(type);
  const bool has_c = cell.sizes.kind == CellKind::kLstm;
  const Tensor gates = cell.W(x), x_queries = W_x(x);
  CellLoop loop(cell, gates, {}, rows);

  // The means that the steps start from, in the order of time.
  const Tensor h_means = loop_rows(x, rows.R, H, type), c_means = has_c ? loop_rows(x, rows.R, H, c_type) : Tensor();
  loop.set_state_inputs({h_means.array()});
  const Past keys(x, rows, H, type), h_past(x, rows, H, type);
  std::optional<Past> c_past;
  if (has_c) c_past.emplace(x, rows, H, c_type);
  const StepLinear to_keys(W_h, rows.R, {loop.states().h.array()}), to_queries(W_t, rows.R);
  CellState before;  // the means of the last step
  for (std::int64_t t = 0; t < rows.steps(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    const std::int64_t start = rows.starts[at], count = rows.counts[at];
    const CellState mean{row_range(h_means, start, count), has_c ? row_range(c_means, start, count) : Tensor()};
    if (t == 0) {
      for (const Tensor* part : {&mean.h, &mean.c}) {
        if (!*part) continue;
        Array zeros = part->array();
        on.fill(zeros, 0.0);
      }
    } else {
      const MemoryRows past{rows.memory.first.columns(0, count), rows.segments.position.columns(start, count), t};
      const Tensor query =
          ops::add(row_range(x_queries, start, count), to_queries(row_range(before.h, 0, count), start));
      const Tensor weights = ops::memory_weights(query, keys.all(), {.v = v.tensor()}, past);
      ops::memory_mix(weights, h_past.all(), past, mean.h);
      if (has_c) ops::memory_mix(weights, c_past->all(), past, mean.c);
    }
    loop.step_from(t, mean, loop.x(t));
    const CellState& state = loop.after(t);
    keys.store(t, to_keys(state.h, start));
    h_past.store(t, state.h);
    if (has_c) c_past->store(t, state.c);
    before = mean;
  }
  return loop.states();
}

}  // namespace dragoman::nn
