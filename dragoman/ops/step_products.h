// Products with one weight matrix in every step of a loop, as a recurrent network makes them.
#pragma once

#include <cstdint>

#include "dragoman/autograd/record.h"

namespace dragoman::ops {

// Where the inputs of all steps are when the loop is over. Without rows, StepProducts keeps copies itself.
struct StepInputs {
  Array rows = {};      // row i is the input of row i or, with an index, rows[index.taken[i]] is
  RowIndex index = {};  // optional
};

// y_t = x_t W + b in step t, for rows of one matrix Y [R, out]. The gradient of W is one product after the loop instead
// of one in each step: backward collects the gradients of the steps in the gradient of Y.
class StepProducts {
 public:
  // W [in, out]; b [out] is optional. If the gradients are recorded, `steps_bias` [k] is a bias that the steps add to
  // the last k columns of their products themselves; its gradient is the sum of these columns.
  StepProducts(const Tensor& W, const Tensor& b, std::int64_t R, const StepInputs& inputs,
               const Tensor& steps_bias = {});

  // The product of a step for x [n, in]: rows [first, first + n) of Y.
  Tensor operator()(const Tensor& x, std::int64_t first) const;

 private:
  Tensor W_, b_, Y_;
  Array kept_;  // copies of the inputs; optional
};

}  // namespace dragoman::ops
