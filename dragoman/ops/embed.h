// Token embedding: lookup, scaling, positions and dropout in one pass.
#pragma once

#include "dragoman/array/tokens.h"
#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// dropout(scale E[id] + P[position]) for every row. P is a table of positions, or missing. Id 0 looks up zero.
Tensor embed(Backend& on, const Tokens& tokens, const Tensor& E, const Tensor& P, double scale, const Dropout& dropout);

// The same from a packed table, for inference: nothing is dropped and no gradient flows.
Tensor embed(Backend& on, const Tokens& tokens, const PackedMatrix& E, const Tensor& P, double scale);

namespace plain {
// Looks up by multiplying one-hot rows with the tables.
Tensor embed(Backend& on, const Tokens& tokens, const Tensor& E, const Tensor& P, double scale, const Dropout& dropout);
}  // namespace plain

}  // namespace dragoman::ops
