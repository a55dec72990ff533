#include "dragoman/ops/depth.h"

#include <vector>

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/matmul.h"

namespace dragoman::ops {

Tensor add_coordinates(const Tensor& x, const Array& position, const Tensor& P, const StepSignal& signal) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.add_coordinates(x.array(), position, P.array(), signal.table.array().row_range(signal.row, 1), signal.scale, y);
  return record(y, {x, signal.table}, [&on, row = signal.row, scale = signal.scale](const Array& dy, Sinks& d) {
    const auto [dx, dtable] = d.first<2>();
    on.scaled(dy, 1.0, dx);
    if (!dtable.wanted()) return;
    const ArenaScope scratch(on.arena());
    const Array ds = on.empty({1, dy.cols()}, dtable.array.dtype());
    on.sum_rows(dy, Sink::overwrite(ds));
    Array table = dtable.array;
    if (!dtable.accumulates()) on.fill(table, 0.0);
    on.scaled(ds, scale, Sink::accumulate(table.row_range(row, 1)));
  });
}

HaltWeights halt(const Tensor& x, const Tensor& w, const Tensor& b, const HaltStep& step, const Tensor& rest,
                 Array steps) {
  Backend& on = x.backend();
  Array p = on.empty_like(steps), weight = on.empty_like(p), rest_after = on.empty_like(p), running = on.empty_like(p);
  on.halt(x.array(), w.array(), b.array(), step, rest.array(), steps, p, weight, rest_after, running);

  const auto [given, left] = record(
      weight, rest_after, {x, w, b, rest},
      [&on, x = x.array(), w = w.array(), p, steps, t = step.t](const Array& dweight, const Array& drest, Sinks& d) {
        const ArenaScope scratch(on.arena());
        const auto [dx, dw, db, drest_before] = d.first<4>();
        Array dlogit = on.empty_like(p);
        on.halt_backward(dweight, drest, w, p, steps, t, dx, drest_before, dlogit);
        if (dw.wanted()) {
          Array products = on.empty(x.shape(), p.dtype());  // row r is dlogit[r] x[r]
          on.blend_rows({}, x, dlogit, OldRows::kKeep, products);
          on.sum_rows(products, dw);
        }
        if (db.wanted()) on.sum_rows(dlogit, db);
      });
  return {given, left, running};
}

Tensor blend_rows(const Tensor& a, const Tensor& x, const Tensor& w, OldRows old) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.blend_rows(array_or_absent(a), x.array(), w.array(), old, y);
  return record(y, {x, a, w},
                [&on, a = array_or_absent(a), x = x.array(), w = w.array(), old](const Array& dy, Sinks& d) {
                  const auto [dx, da, dw] = d.first<3>();
                  on.blend_rows_backward(dy, a, x, w, old, da, dx, dw);
                });
}

namespace plain {

namespace {

std::vector<double> column_values(Backend& on, const Array& x) {
  const ArenaScope scratch(on.arena());
  const Array staged = on.empty(x.shape(), DType::kFloat64);
  on.scaled(x, 1.0, Sink::overwrite(staged));
  std::vector<double> values(static_cast<std::size_t>(x.count()));
  on.copy_out(staged, values.data());
  return values;
}

void put_column(Backend& on, const std::vector<double>& values, const Array& x) {
  const ArenaScope scratch(on.arena());
  Array staged = on.empty(x.shape(), DType::kFloat64);
  on.copy_in(values.data(), staged);
  on.scaled(staged, 1.0, Sink::overwrite(x));
}

}  // namespace

HaltWeights halt(const Tensor& x, const Tensor& w, const Tensor& b, const HaltStep& step, const Tensor& rest,
                 Array steps) {
  Backend& on = x.backend();
  const Tensor p = sigmoid(add_bias(matmul(x, w), b));
  const std::vector<double> chances = column_values(on, p.array()), left = column_values(on, rest.array());
  std::vector<double> N = column_values(on, steps), runs(N.size()), goes_on(N.size()), halts(N.size());
  for (std::size_t r = 0; r < N.size(); ++r) {
    if (N[r] != 0) continue;
    runs[r] = 1;
    const bool last = step.last || left[r] - chances[r] < step.threshold;
    (last ? halts : goes_on)[r] = 1;
    if (last) N[r] = step.t;
  }
  put_column(on, N, steps);
  const auto constant = [&](const std::vector<double>& values) {
    const Array column = on.empty_like(steps);
    put_column(on, values, column);
    return Tensor(on, column);
  };
  const Tensor taken = multiply(constant(goes_on), p);
  return {taken + multiply(constant(halts), rest), rest + taken * -1.0, constant(runs).array()};
}

Tensor blend_rows(const Tensor& a, const Tensor& x, const Tensor& w, OldRows old) {
  Backend& on = x.backend();
  Array ones = on.empty({1, x.dim(-1)}, x.array().dtype());
  on.fill(ones, 1.0);
  const Tensor weights = matmul(w, Tensor(on, ones));  // each column is w
  const Tensor given = multiply(weights, x);
  if (!a) return given;
  return old == OldRows::kKeep ? a + given : a + given + multiply(weights, a) * -1.0;
}

}  // namespace plain

}  // namespace dragoman::ops
