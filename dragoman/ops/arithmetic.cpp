#include "dragoman/ops/arithmetic.h"

namespace dragoman::ops {

Tensor add(const Tensor& a, const Tensor& b) {
  require<ShapeError>(a.shape() == b.shape(), "add: a is ", a.shape(), ", b ", b.shape());
  Backend& on = a.backend();
  Array y = on.empty_like(a.array());
  on.add(a.array(), b.array(), y);
  return record(y, {a, b}, [&on](const Array& dy, Sinks& d) {
    on.scaled(dy, 1.0, d.into(0));
    on.scaled(dy, 1.0, d.into(1));
  });
}

Tensor add_bias(const Tensor& x, const Tensor& b) {
  require<ShapeError>(b.shape() == Shape{x.dim(-1)}, "add_bias: x is ", x.shape(), ", b ", b.shape());
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

Tensor relu(const Tensor& x) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.relu(x.array(), y);
  return record(y, {x}, [&on, y](const Array& dy, Sinks& d) { on.relu_backward(dy, y, d.into(0)); });
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

void check_parts(const char* op, std::initializer_list<Tensor> parts) {
  require<ShapeError>(parts.size() >= 1 && parts.size() <= Node::kMaxInputs, op, ": ", parts.size(),
                      " parts, but it takes 1 to ", Node::kMaxInputs);
}

}  // namespace

Tensor stack_rows(std::initializer_list<Tensor> parts) {
  check_parts("stack_rows", parts);
  const Tensor& first = *parts.begin();
  Backend& on = first.backend();
  std::int64_t total = 0;
  for (const Tensor& part : parts) {
    require<ShapeError>(part.dim(-1) == first.dim(-1), "stack_rows: ", first.shape(), " and ", part.shape());
    total += part.rows();
  }
  Array y = on.empty({total, first.dim(-1)}, first.array().dtype());
  std::array<std::int64_t, Node::kMaxInputs + 1> starts{};
  int index = 0;
  for (const Tensor& part : parts) {
    on.scaled(part.array(), 1.0, Sink::overwrite(y.row_range(starts[index], part.rows())));
    starts[index + 1] = starts[index] + part.rows();
    ++index;
  }
  return record(y, parts, [&on, starts, count = index](const Array& dy, Sinks& d) {
    for (int i = 0; i < count; ++i) on.scaled(dy.row_range(starts[i], starts[i + 1] - starts[i]), 1.0, d.into(i));
  });
}

Tensor concat(std::initializer_list<Tensor> parts) {
  check_parts("concat", parts);
  const Tensor& first = *parts.begin();
  Backend& on = first.backend();
  std::int64_t total = 0;
  for (const Tensor& part : parts) {
    require<ShapeError>(part.rows() == first.rows(), "concat: ", first.shape(), " and ", part.shape());
    total += part.dim(-1);
  }
  Array y = on.empty({first.rows(), total}, first.array().dtype());
  std::array<std::int64_t, Node::kMaxInputs + 1> starts{};
  int index = 0;
  for (const Tensor& part : parts) {
    on.scaled(part.array(), 1.0, Sink::overwrite(y.columns(starts[index], part.dim(-1))));
    starts[index + 1] = starts[index] + part.dim(-1);
    ++index;
  }
  return record(y, parts, [&on, starts, count = index](const Array& dy, Sinks& d) {
    for (int i = 0; i < count; ++i) on.scaled(dy.columns(starts[i], starts[i + 1] - starts[i]), 1.0, d.into(i));
  });
}

Tensor sum(const Tensor& x, double alpha) {
  Backend& on = x.backend();
  Array total = on.empty({1}, DType::kFloat64);
  on.sum(x.array(), alpha, Sink::overwrite(total));
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
