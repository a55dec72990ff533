// How much of a layer must be computed one after the other: the second column of Table 1, from the tape that autograd
// recorded.
#pragma once

#include <cstdint>

#include "dragoman/study/complexity/layer.h"

namespace dragoman::study {

struct Sequence {
  // Sequential operations: a tensor whose rows are computed part by part, each from an earlier part, takes as many as
  // the longest such chain has parts. 1 if every tensor is computed at once.
  std::int64_t steps = 1;
  // The recorded functions, such as products and cells, on the longest path from the input to the output.
  std::int64_t chain = 0;
};

// Of what was recorded so far.
Sequence sequence_of(Recording& recording);
// Of the layer for one sentence of n positions.
Sequence sequence_of(Backend& on, DType dtype, Layer& layer, std::int64_t n);

// By the formulas of Table 1: n for a recurrent layer, 1 for the others.
std::int64_t expected_steps(LayerKind kind, std::int64_t n);

}  // namespace dragoman::study
