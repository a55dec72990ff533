// The index with which rows of a matrix are taken and put back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/data/tokens.h"

namespace dragoman::data {

// A RowIndex in host memory.
struct HostRowIndex {
  std::int64_t rows = 0;
  bool distinct = true;
  std::vector<std::int32_t> taken, starts, takers;
};

// The index for take_rows() and place_rows() that selects the rows `taken` of a matrix with `rows` rows. Throws
// ShapeError if a row does not exist.
HostRowIndex host_row_index(std::span<const std::int32_t> taken, std::int64_t rows);
// The same in the backend's arena, where it can be used any number of times. It copies to the device, so make it before
// launches are recorded (Backend::record_launches).
RowIndex row_index(Backend& on, std::span<const std::int32_t> taken, std::int64_t rows);

// For several indices in one transfer: call add() before Upload::send() and received() after it.
void add(const HostRowIndex& index, Upload& upload);
RowIndex received(const HostRowIndex& index, Upload& upload);

}  // namespace dragoman::data
