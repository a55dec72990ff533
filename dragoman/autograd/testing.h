// Helpers for tests of ops and layers: make tensors on a backend, check gradients against finite differences, and
// compare a fused op with the same function composed of simple ops.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/autograd/finite_differences.h"
#include "dragoman/autograd/record.h"
#include "dragoman/backend/testing.h"

namespace dragoman {

using Tensors = std::vector<Tensor>;

// A backend, and functions that make tensors of one element type on it.
struct Workbench {
  explicit Workbench(const KernelCase& kernel_case = {Device{}, DType::kFloat64, 1e-12})
      : on(kernel_case.backend(2)), dtype(kernel_case.dtype), tolerance(kernel_case.tolerance) {}

  Tensor tensor(const Shape& shape, const Doubles& values) const {
    return Tensor(*on, make_array(*on, shape, dtype, values));
  }
  Tensor random(const Shape& shape, std::uint64_t seed) const {
    return tensor(shape, random_values(shape.count(), seed));
  }
  Segments segments(const std::vector<int>& lengths) const { return make_segments(*on, lengths); }
  Doubles values(const Array& x) const { return values_of(*on, x); }
  Doubles values(const Tensor& x) const { return values_of(*on, x.array()); }

  std::unique_ptr<Backend> on;
  DType dtype;
  double tolerance;
};

// Runs the test once for each device and element type.
inline void on_each_kernel_case(const std::function<void(const Workbench&)>& test) {
  for (const KernelCase& kernel_case : kernel_cases()) {
    SCOPED_TRACE(join(kernel_case.device, " ", kernel_case.dtype));
    test(Workbench(kernel_case));
  }
}

// Expects that the gradient of every input (float64) agrees with finite differences of f.
inline void expect_gradients_match(const DifferentiableFunction& f, const Tensors& inputs) {
  std::vector<Array> arrays;
  for (const Tensor& input : inputs) arrays.push_back(input.array());
  EXPECT_LT(gradient_error(inputs.front().backend(), arrays, f), 1e-8);
}

// The values y of f, and the gradients of its inputs. The gradient of y is random, or 1 if y is a single number.
struct Evaluation {
  Doubles y;
  std::vector<Doubles> gradients;
};

inline Evaluation evaluate(const DifferentiableFunction& f, const Tensors& inputs) {
  Backend& on = inputs.front().backend();
  const Recording recording(on);
  Tensors leaves;
  for (const Tensor& input : inputs) leaves.push_back(leaf(on, input.array()));
  const Tensor y = f(leaves);
  Evaluation result{values_of(on, y.array()), {}};
  const std::int64_t count = y.array().count();
  const Doubles dy = count == 1 ? Doubles{1} : random_values(count, 99);
  backward(y, make_array(on, y.shape(), y.array().dtype(), dy));
  for (const Tensor& x : leaves) {
    const Array dx = finished_gradient(on, *x.variable());
    result.gradients.push_back(dx ? values_of(on, dx) : Doubles(x.array().count(), 0.0));
  }
  return result;
}

// Expects that both functions have the same values and the same gradients.
inline void expect_same_function(const DifferentiableFunction& f, const DifferentiableFunction& g,
                                 const Tensors& inputs, double tolerance) {
  const Evaluation of_f = evaluate(f, inputs), of_g = evaluate(g, inputs);
  expect_near(of_f.y, of_g.y, tolerance);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE(join("gradient of input ", i));
    expect_near(of_f.gradients[i], of_g.gradients[i], tolerance);
  }
}

// Expects that the call throws a ShapeError whose text contains all of the parts, such as the op and the shapes.
inline void expect_shape_error(const std::function<void()>& call, std::initializer_list<std::string> parts) {
  try {
    call();
    ADD_FAILURE() << "no ShapeError was thrown";
  } catch (const ShapeError& error) {
    const std::string text = error.what();
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
  }
}

}  // namespace dragoman
