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

Tensor place_beside(const Tensor& left, const RowIndex& left_index, const Tensor& right, const RowIndex& right_index) {
  const std::int64_t R = left_index.rows, l = left.dim(-1), r = right.dim(-1);
  for (const RowIndex* index : {&left_index, &right_index}) {
    require<ShapeError>(index->distinct && index->rows == R && index->taken.count() == R,
                        "place_beside: the index places ", index->taken.count(), " rows in ", index->rows, " of ", R);
  }
  Backend& on = left.backend();
  Array y = on.empty({R, l + r}, left.array().dtype());
  on.place_rows(left.array(), left_index.taken, y.columns(0, l));
  on.place_rows(right.array(), right_index.taken, y.columns(l, r));
  return record(y, {left, right}, [&on, left_index, right_index, l, r](const Array& dy, Sinks& d) {
    const auto [d_left, d_right] = d.first<2>();
    on.take_rows(dy.columns(0, l), left_index, d_left);
    on.take_rows(dy.columns(l, r), right_index, d_right);
  });
}

// When this function's backward runs, all later functions have added their gradients to its rows of `whole`.
void place_part(const Tensor& x, const Array& rows, const Tensor& whole) {
  Backend& on = x.backend();
  on.place_rows(x.array(), rows, whole.array());
  record_part(whole, {x}, [&on, rows](const Array& d_whole, Sinks& d) {
    on.take_rows(d_whole, {.rows = d_whole.rows(), .distinct = true, .taken = rows, .starts = {}, .takers = {}},
                 d.into(0));
  });
}

}  // namespace dragoman::ops
