#include "dragoman/ops/arithmetic.h"

#include <vector>

namespace dragoman::ops {

Tensor add(const Tensor& a, const Tensor& b) {
  Backend& on = a.backend();
  Array y = on.empty_like(a.array());
  on.add(a.array(), b.array(), y);
  return record(y, {a, b}, [&on](const Array& dy, Sinks& d) {
    on.scaled(dy, 1.0, d.into(0));
    on.scaled(dy, 1.0, d.into(1));
  });
}

Tensor add_bias(const Tensor& x, const Tensor& b) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.add_bias(x.array(), b.array(), y);
  return record(y, {x, b}, [&on](const Array& dy, Sinks& d) {
    on.scaled(dy, 1.0, d.into(0));
    on.sum_rows(dy, d.into(1));
  });
}

Tensor scale(const Tensor& x, double alpha) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.scaled(x.array(), alpha, Sink::overwrite(y));
  return record(y, {x}, [&on, alpha](const Array& dy, Sinks& d) { on.scaled(dy, alpha, d.into(0)); });
}

Tensor converted(const Tensor& x, DType dtype) {
  if (x.array().dtype() == dtype) return x;
  Backend& on = x.backend();
  const Array y = on.empty(x.shape(), dtype);
  on.scaled(x.array(), 1.0, Sink::overwrite(y));
  return record(y, {x}, [&on](const Array& dy, Sinks& d) { on.scaled(dy, 1.0, d.into(0)); });
}

void store_part(const Tensor& x, const Tensor& part) {
  Backend& on = x.backend();
  on.scaled(x.array(), 1.0, Sink::overwrite(part.array()));
  record_part(part, {x}, [&on](const Array& dy, Sinks& d) { on.scaled(dy, 1.0, d.into(0)); });
}

Tensor relu(const Tensor& x) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.relu(x.array(), y);
  return record(y, {x}, [&on, y](const Array& dy, Sinks& d) { on.relu_backward(dy, y, d.into(0)); });
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  Backend& on = a.backend();
  Array y = on.empty_like(a.array());
  on.multiply(a.array(), b.array(), Sink::overwrite(y));
  return record(y, {a, b}, [&on, a = a.array(), b = b.array()](const Array& dy, Sinks& d) {
    on.multiply(dy, b, d.into(0));
    on.multiply(dy, a, d.into(1));
  });
}

Tensor tanh(const Tensor& x) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.tanh(x.array(), y);
  return record(y, {x}, [&on, y](const Array& dy, Sinks& d) { on.tanh_backward(dy, y, d.into(0)); });
}

Tensor sigmoid(const Tensor& x) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.sigmoid(x.array(), y);
  return record(y, {x}, [&on, y](const Array& dy, Sinks& d) { on.sigmoid_backward(dy, y, d.into(0)); });
}

Tensor gated(const Tensor& x, SelfGate gate) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.gated(x.array(), gate, y);
  return record(y, {x},
                [&on, x = x.array(), gate](const Array& dy, Sinks& d) { on.gated_backward(dy, x, gate, d.into(0)); });
}

Tensor dropout(const Tensor& x, const Segments& segments, const Dropout& dropout) {
  require<ShapeError>(segments.R == x.rows(), "dropout: x is ", x.shape(), " but the batch has ", segments.R, " rows");
  if (!dropout.on()) return x;
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.dropout(x.array(), segments, dropout, Sink::overwrite(y));
  return record(y, {x},
                [&on, segments, dropout](const Array& dy, Sinks& d) { on.dropout(dy, segments, dropout, d.into(0)); });
}

Tensor transpose(const Tensor& x) {
  const auto [rows, cols] = x.dims<2>();
  Backend& on = x.backend();
  Array y = on.empty({cols, rows}, x.array().dtype());
  on.transpose(x.array(), Sink::overwrite(y));
  return record(y, {x}, [&on](const Array& dy, Sinks& d) { on.transpose(dy, d.into(0)); });
}

Tensor rows(const Tensor& x, std::int64_t first, std::int64_t count) {
  Backend& on = x.backend();
  const Array part = x.array().row_range(first, count);
  return record(part, {x}, [&on, first, count, all = x.rows()](const Array& dy, Sinks& d) {
    Sink dx = d.into(0);
    if (!dx.wanted()) return;
    if (!dx.accumulates()) {
      Array before = dx.array.row_range(0, first), after = dx.array.row_range(first + count, all - first - count);
      on.fill(before, 0.0);
      on.fill(after, 0.0);
    }
    on.scaled(dy, 1.0, {dx.array.row_range(first, count), dx.write});
  });
}

namespace {

// The start of each part in the result, and then the end of the last one. extent(part) is its size along the joined
// axis.
template <class Extent>
std::vector<std::int64_t> starts_of(std::span<const Tensor> parts, const Extent& extent) {
  std::vector<std::int64_t> starts{0};
  for (const Tensor& part : parts) starts.push_back(starts.back() + extent(part));
  return starts;
}

// Copies the parts into y, where part_of(y, first, count) is the view of y that holds one part.
template <class PartOf>
Tensor joined(const Array& y, std::span<const Tensor> parts, const std::vector<std::int64_t>& starts,
              const PartOf& part_of) {
  Backend& on = parts.front().backend();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    on.scaled(parts[i].array(), 1.0, Sink::overwrite(part_of(y, starts[i], starts[i + 1] - starts[i])));
  }
  const auto places = copy_to_tape(std::span<const std::int64_t>(starts), parts);
  return record(y, parts, [&on, places, part_of](const Array& dy, Sinks& d) {
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      on.scaled(part_of(dy, places[i], places[i + 1] - places[i]), 1.0, d.into(static_cast<int>(i)));
    }
  });
}

}  // namespace

Tensor stack_rows(std::span<const Tensor> parts) {
  require<ShapeError>(!parts.empty(), "stack_rows: there are no parts");
  const Tensor& first = parts.front();
  for (const Tensor& part : parts) {
    require<ShapeError>(part.dim(-1) == first.dim(-1), "stack_rows: ", first.shape(), " and ", part.shape());
  }
  const auto starts = starts_of(parts, [](const Tensor& part) { return part.rows(); });
  const Array y = first.backend().empty({starts.back(), first.dim(-1)}, first.array().dtype());
  return joined(y, parts, starts,
                [](const Array& whole, std::int64_t from, std::int64_t count) { return whole.row_range(from, count); });
}

Tensor concat(std::span<const Tensor> parts) {
  require<ShapeError>(!parts.empty(), "concat: there are no parts");
  const Tensor& first = parts.front();
  for (const Tensor& part : parts) {
    require<ShapeError>(part.rows() == first.rows(), "concat: ", first.shape(), " and ", part.shape());
  }
  const auto starts = starts_of(parts, [](const Tensor& part) { return part.dim(-1); });
  const Array y = first.backend().empty({first.rows(), starts.back()}, first.array().dtype());
  return joined(y, parts, starts,
                [](const Array& whole, std::int64_t from, std::int64_t count) { return whole.columns(from, count); });
}

Tensor sum(const Tensor& x, double alpha) {
  Backend& on = x.backend();
  Array total = on.empty({1}, DType::kFloat64);
  on.sum(x.array(), alpha, Sink::overwrite(total));
  // The gradient of the total is not read: it is 1, because a sum must be the root of backward.
  return record(total, {x}, [&on, alpha](const Array&, Sinks& d) {
    Sink dx = d.into(0);
    if (!dx.accumulates()) return on.fill(dx.array, alpha);
    const ArenaScope scratch(on.arena());
    Array alphas = on.empty_like(dx.array);
    on.fill(alphas, alpha);
    on.scaled(alphas, 1.0, dx);
  });
}

}  // namespace dragoman::ops
