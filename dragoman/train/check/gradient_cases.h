// The cases of `dragoman gradcheck`: every op and every variant of the models, to be checked against finite
// differences.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dragoman::train {

struct GradientCase {
  std::string name;                     // "op or architecture: variant"
  std::function<double()> worst_error;  // largest relative error of a gradient, see autograd/finite_differences.h
};

// A gradient with a smaller error counts as correct. In double precision the errors of correct gradients are a thousand
// times smaller still.
inline constexpr double kGradientTolerance = 1e-6;

// Each case creates its own backend, inputs and weights, which are the same on every machine.
std::vector<GradientCase> gradient_cases();

}  // namespace dragoman::train
