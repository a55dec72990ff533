// The backward pass with a report of the gradients that are complete.
#pragma once

#include <functional>
#include <span>

#include "dragoman/autograd/record.h"

namespace dragoman {

// Called for a parameter as soon as all that the tape adds to its gradient was launched; not called for parameters that
// receive nothing.
using ParameterDone = std::function<void(const Variable& parameter)>;

// Like backward(roots).
void backward(std::span<const Tensor> roots, const ParameterDone& done);

}  // namespace dragoman
