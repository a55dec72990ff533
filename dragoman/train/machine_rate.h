// How fast a machine computes, for the account of Table 2: time spent times the rate at which the machine could have
// computed.
#pragma once

#include "dragoman/backend/backend.h"

namespace dragoman::train {

// Floating-point operations a second that this backend sustains in large matrix products, several back to back on
// random operands: the best of a few rounds, in a fraction of a second. 0 if the clock stands still.
double machine_rate(Backend& on, DType dtype = DType::kFloat32);

}  // namespace dragoman::train
