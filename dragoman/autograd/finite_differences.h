// Gradients checked against differences of the function itself, in double. A backward pass that lacks a term, or has
// one too many, cannot hide from this.
#pragma once

#include <functional>
#include <span>

#include "dragoman/autograd/tensor.h"

namespace dragoman {

// How far `gradient` is from central differences of fourth order,
//   (8 (f(x + step) - f(x - step)) - (f(x + 2 step) - f(x - 2 step))) / (12 step),
// taken for each element of `values` in turn: the largest deviation divided by the largest difference, or the deviation
// itself where all differences are about zero. Smaller steps are tried where the first disagrees, because it may have
// reached across the kink of a ReLU. `values` is float64 and may be a range of columns; `objective` reads it. Every
// element is as it was afterwards. What is not a number is infinitely far.
double finite_difference_error(Backend& on, const Array& values, const Array& gradient,
                               const std::function<double()>& objective);

// A differentiable function of some tensors: what an op is once its settings are chosen. It is called often, with and
// without a Recording, and must always compute the same.
using DifferentiableFunction = std::function<Tensor(std::span<const Tensor>)>;

// The largest finite_difference_error among the inputs of f, for the sum of its elements times fixed random numbers, or
// for f itself if it is one number (a loss). Inputs are float64.
double gradient_error(Backend& on, std::span<const Array> inputs, const DifferentiableFunction& f);

}  // namespace dragoman
