// Every op and every arrangement of the model, ready to be checked against finite differences: what `dragoman
// gradcheck` runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dragoman::train {

struct GradientCase {
  std::string name;                     // "family: what is special about it"
  std::function<double()> worst_error;  // relative, of any input's gradient; see autograd/finite_differences.h
};

// The error up to which a gradient counts as right. In double the errors of right ones are a thousand times smaller.
inline constexpr double kGradientTolerance = 1e-6;

// Each case has a backend, inputs and weights of its own, the same on every machine.
std::vector<GradientCase> gradient_cases();

}  // namespace dragoman::train
