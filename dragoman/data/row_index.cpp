#include "dragoman/data/row_index.h"

#include <numeric>

#include "dragoman/base/error.h"

namespace dragoman::data {

HostRowIndex host_row_index(std::span<const std::int32_t> taken, std::int64_t rows) {
  // A counting sort. The takers of a row are the places i with taken[i] == row. Count the takers of each row, sum the
  // counts to get where each row's takers start, then fill them in, in ascending order.
  HostRowIndex index;
  index.rows = rows;
  index.taken.assign(taken.begin(), taken.end());
  index.starts.resize(static_cast<std::size_t>(rows) + 1);
  index.takers.resize(taken.size());
  for (const std::int32_t row : taken) {
    require<ShapeError>(row >= 0 && row < rows, "row_index: there is no row ", row, " in a matrix of ", rows, " rows");
    index.distinct &= ++index.starts[row + 1] == 1;
  }
  std::partial_sum(index.starts.begin(), index.starts.end(), index.starts.begin());
  std::vector<std::int32_t> next(index.starts.begin(), index.starts.end() - 1);
  for (std::size_t i = 0; i < taken.size(); ++i) index.takers[next[taken[i]]++] = static_cast<std::int32_t>(i);
  return index;
}

void add(const HostRowIndex& index, Upload& upload) {
  for (const auto* list : {&index.taken, &index.starts, &index.takers}) upload.add(*list);
}

RowIndex received(const HostRowIndex& index, Upload& upload) {
  RowIndex sent{.rows = index.rows, .distinct = index.distinct, .taken = {}, .starts = {}, .takers = {}};
  for (Array* array : {&sent.taken, &sent.starts, &sent.takers}) *array = upload.next();
  return sent;
}

RowIndex row_index(Backend& on, std::span<const std::int32_t> taken, std::int64_t rows) {
  const HostRowIndex index = host_row_index(taken, rows);
  Upload upload;
  add(index, upload);
  upload.send(on);
  return received(index, upload);
}

}  // namespace dragoman::data
