#include "dragoman/ops/take_rows.h"

namespace dragoman::ops {

Tensor take_rows(const Tensor& x, const RowIndex& index) {
  Backend& on = x.backend();
  Array y = on.empty({index.taken.count(), x.dim(-1)}, x.array().dtype());
  on.take_rows(x.array(), index, Sink::overwrite(y));
  return record(y, {x}, [&on, index](const Array& dy, Sinks& d) { on.take_rows_backward(dy, index, d.into(0)); });
}

Tensor place_rows(const Tensor& x, const RowIndex& index) {
  require<ShapeError>(index.distinct, "place_rows: the index repeats a row");
  Backend& on = x.backend();
  Array y = on.empty({index.rows, x.dim(-1)}, x.array().dtype());
  on.fill(y, 0.0);
  on.place_rows(x.array(), index.taken, y);
  return record(y, {x}, [&on, index](const Array& dy, Sinks& d) { on.take_rows(dy, index, d.into(0)); });
}

}  // namespace dragoman::ops
