// Selects rows of a matrix by an index, which may omit and repeat rows, and puts rows back into their places.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// The index for take_rows() and place_rows() that selects the rows `taken` of a matrix with `rows` rows. It is stored
// in the backend's arena and can be used any number of times. Throws ShapeError if a row does not exist. It copies to
// the device, so make it before launches are recorded (Backend::record_launches).
RowIndex row_index(Backend& on, std::span<const std::int32_t> taken, std::int64_t rows);

// y[i] = x[taken[i]].
Tensor take_rows(const Tensor& x, const RowIndex& index);

// The matrix y of index.rows rows with y[taken[i]] = x[i] and zeros elsewhere. The index must not repeat a row.
Tensor place_rows(const Tensor& x, const RowIndex& index);

}  // namespace dragoman::ops
