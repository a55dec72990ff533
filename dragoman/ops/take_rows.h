// Rows of a matrix in another order, some of them left out or taken several times, and the way back.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// The index that takes these rows of a matrix of `rows` rows, in memory of the backend's arena; it may be used any
// number of times. Throws ShapeError if there is no such row. Copies to the device, so make it before launches are
// recorded (Backend::record_launches).
RowIndex row_index(Backend& on, std::span<const std::int32_t> taken, std::int64_t rows);

// y[i] = x[taken[i]].
Tensor take_rows(const Tensor& x, const RowIndex& index);

// The matrix of index.rows rows with y[taken[i]] = x[i], and zero elsewhere. No row may be taken twice.
Tensor place_rows(const Tensor& x, const RowIndex& index);

}  // namespace dragoman::ops
