// Token embedding: lookup, scaling, position encodings and dropout in one pass.
#pragma once

#include "dragoman/array/tokens.h"
#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// dropout(scale E[id] + P[position]) for every row. P, the table of positions, is optional. The embedding of id 0 is
// zero.
Tensor embed(Backend& on, const Tokens& tokens, const Tensor& E, const Tensor& P, double scale, const Dropout& dropout);

// The same from a packed table, for inference: without dropout and without gradients.
Tensor embed(Backend& on, const Tokens& tokens, const PackedMatrix& E, const Tensor& P, double scale);

namespace plain {
// The same, as products of one-hot rows with the tables; tests compare with it.
Tensor embed(Backend& on, const Tokens& tokens, const Tensor& E, const Tensor& P, double scale, const Dropout& dropout);
}  // namespace plain

}  // namespace dragoman::ops
