// Measures how fast a machine computes. Table 2 of the paper estimates the cost of training as the time spent times
// this rate.
#pragma once

#include "dragoman/backend/backend.h"

namespace dragoman::train {

// Floating-point operations per second that this backend sustains in large matrix products with random operands: the
// best of a few rounds of several products each. Takes a fraction of a second. 0 if the clock does not advance.
double machine_rate(Backend& on, DType dtype = DType::kFloat32);

}  // namespace dragoman::train
