// Recurrence in depth: the coordinates of a token in a step, adaptive computation time, and sums of rows with weights.
#pragma once

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// The signal of a step: scale times row `row` of a table.
struct StepSignal {
  Tensor table;  // [steps, d]
  std::int64_t row = 0;
  double scale = 1;
};

// y[r] = x[r] + P[position[r]] + signal. There is no gradient of P.
Tensor add_coordinates(const Tensor& x, const Array& position, const Tensor& P, const StepSignal& signal);

// The weights of the rows of a step, and what is left of the weight 1 after it: [R, 1] each.
struct HaltWeights {
  Tensor weight, rest;
  Array running;  // 1 for a row that ran in this step, 0 for one that halted before
};
// A step of adaptive computation time, see DepthKernels::halt. `rest` [R, 1] is 1 before the first step, and
// `steps` [R, 1] is 0. The steps are the same array in all calls; backward needs those after the last one. w is [d, 1].
HaltWeights halt(const Tensor& x, const Tensor& w, const Tensor& b, const HaltStep& step, const Tensor& rest,
                 Array steps);

// y[r] = a[r] + w[r] x[r], or (1 - w[r]) a[r] + w[r] x[r] with OldRows::kFade. `a` is optional: without it the old rows
// are zero. w is [R, 1].
Tensor blend_rows(const Tensor& a, const Tensor& x, const Tensor& w, OldRows old);

namespace plain {
// The same as compositions. Which rows halt is read from the values, as a constant.
HaltWeights halt(const Tensor& x, const Tensor& w, const Tensor& b, const HaltStep& step, const Tensor& rest,
                 Array steps);
Tensor blend_rows(const Tensor& a, const Tensor& x, const Tensor& w, OldRows old);
}  // namespace plain

}  // namespace dragoman::ops
