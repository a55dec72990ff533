// Checks gradients against finite differences of the function itself, in double. The check finds a backward pass that
// lacks a term or has one too many.
#pragma once

#include <functional>
#include <span>

#include "dragoman/autograd/tensor.h"

namespace dragoman {

// How far `gradient` is from central differences of fourth order,
//   (8 (f(x + step) - f(x - step)) - (f(x + 2 step) - f(x - 2 step))) / (12 step),
// where f is `objective` and x each element of `values` in turn. Returns the largest deviation divided by the largest
// difference, or the largest deviation itself if all differences are about zero; infinity if anything is not finite.
// If the difference with the first step disagrees, smaller steps are tried, because the first may have crossed the kink
// of a ReLU. `values` is float64, may be a range of columns, and is read by `objective`. Afterwards every element has
// its old value.
double finite_difference_error(Backend& on, const Array& values, const Array& gradient,
                               const std::function<double()>& objective);

// A differentiable function of some tensors, such as an op with its settings fixed. It is called many times, with and
// without a Recording, and must compute the same values each time.
using DifferentiableFunction = std::function<Tensor(std::span<const Tensor>)>;

// The largest finite_difference_error among the inputs of f. The objective is the sum of f's elements, each times a
// fixed random number, or f itself if it is one number (a loss). Inputs are float64.
double gradient_error(Backend& on, std::span<const Array> inputs, const DifferentiableFunction& f);

}  // namespace dragoman
