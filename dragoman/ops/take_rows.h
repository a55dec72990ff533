// Selects rows of a matrix by an index, which may omit and repeat rows, and puts rows back into their places.
// data/row_index.h makes the index.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// y[i] = x[taken[i]].
Tensor take_rows(const Tensor& x, const RowIndex& index);

// The matrix y of index.rows rows with y[taken[i]] = x[i] and zeros elsewhere. The index must not repeat a row.
Tensor place_rows(const Tensor& x, const RowIndex& index);
// The columns of `left` and then those of `right`, each with its rows in the places of its index. An index has every
// row of the result exactly once.
Tensor place_beside(const Tensor& left, const RowIndex& left_index, const Tensor& right, const RowIndex& right_index);

// Copies x [n, d] to the rows `rows` (int32 [n]) of `whole`. A loop fills a tensor in this way if the rows of a step
// are not neighbours. `whole` is a view of all rows of a tensor that was recorded before the loop; later functions may
// read those of its rows that are filled.
void place_part(const Tensor& x, const Array& rows, const Tensor& whole);

}  // namespace dragoman::ops
