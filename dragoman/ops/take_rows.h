// Selects rows of a matrix by an index, which may omit and repeat rows, and puts rows back into their places.
// data/row_index.h makes the index.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// y[i] = x[taken[i]].
Tensor take_rows(const Tensor& x, const RowIndex& index);

// The matrix y of index.rows rows with y[taken[i]] = x[i] and zeros elsewhere. The index must not repeat a row.
Tensor place_rows(const Tensor& x, const RowIndex& index);

}  // namespace dragoman::ops
