#include "dragoman/ops/take_rows.h"

#include <numeric>
#include <vector>

namespace dragoman::ops {

namespace {

Array to_device(Backend& on, std::span<const std::int32_t> values) {
  Array x = on.empty({static_cast<std::int64_t>(values.size())}, DType::kInt32);
  if (!values.empty()) on.copy_in(values.data(), x);
  return x;
}

}  // namespace

RowIndex row_index(Backend& on, std::span<const std::int32_t> taken, std::int64_t rows) {
  // A counting sort. The takers of a row are the places i with taken[i] == row. Count the takers of each row, sum the
  // counts to get where each row's takers start, then fill them in, in ascending order.
  std::vector<std::int32_t> starts(static_cast<std::size_t>(rows) + 1), takers(taken.size());
  bool distinct = true;
  for (const std::int32_t row : taken) {
    require<ShapeError>(row >= 0 && row < rows, "row_index: there is no row ", row, " in a matrix of ", rows, " rows");
    distinct &= ++starts[row + 1] == 1;
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::int32_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0; i < taken.size(); ++i) takers[next[taken[i]]++] = static_cast<std::int32_t>(i);
  return {rows, distinct, to_device(on, taken), to_device(on, starts), to_device(on, takers)};
}

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
