#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "dragoman/backend/elementwise.h"
#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using ActivationKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, ActivationKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

const std::vector<Shape> kShapes = {{0, 3}, {1, 1}, {1, 33}, {5, 3}, {70, 17}, {3, 513}, {40, 1024}};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Numbers of both signs, with magnitudes from 1e-20 to 120.
Doubles sweep() {
  Doubles values{0, -0.0};
  for (double x = 1e-20; x < 120; x *= 1.01) values.insert(values.end(), {x, -x});
  return values;
}

TEST_P(ActivationKernel, MultiplyMultipliesElementByElement) {
  for (const Shape& shape : kShapes) {
    const Array a = random(shape, 1), b = random_view(shape, 2);
    const Doubles expected = map(values(a), values(b), std::multiplies<>());
    expect_in_every_sink(shape, expected, [&](Sink y) { on->multiply(a, b, y); });
    const Array in_place = random(shape, 1);
    on->multiply(in_place, b, Sink::overwrite(in_place));
    expect_values(in_place, expected);
  }
}

TEST_P(ActivationKernel, TanhAndItsGradientFollowTheirFormulas) {
  for (const Shape& shape : kShapes) {
    const Array x = random_view(shape, 3), dy = random(shape, 4);
    Array y = zeros(shape);
    on->tanh(x, y);
    expect_values(y, map(values(x), [](double v) { return std::tanh(v); }));
    const Doubles dx = map(values(dy), values(y), [](double d, double v) { return d * (1 - v * v); });
    expect_in_every_sink(shape, dx, [&](Sink sink) { on->tanh_backward(dy, y, sink); });
  }
}

TEST_P(ActivationKernel, SigmoidAndItsGradientFollowTheirFormulas) {
  for (const Shape& shape : kShapes) {
    const Array x = random_view(shape, 5), dy = random(shape, 6);
    Array y = zeros(shape);
    on->sigmoid(x, y);
    expect_values(y, map(values(x), sigmoid));
    const Doubles dx = map(values(dy), values(y), [](double d, double v) { return d * v * (1 - v); });
    expect_in_every_sink(shape, dx, [&](Sink sink) { on->sigmoid_backward(dy, y, sink); });
  }
}

struct GateCase {
  SelfGate gate;
  double (*g)(double x);
  double (*slope)(double x);
};
double approximate_angle(double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }
double normal_distribution(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }
const GateCase kGates[] = {
    {SelfGate::kSilu, [](double x) { return sigmoid(x); }, [](double x) { return sigmoid(x) * sigmoid(-x); }},
    {SelfGate::kGelu, normal_distribution,
     [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }},
    {SelfGate::kGeluTanh, [](double x) { return (1 + std::tanh(approximate_angle(x))) / 2; },
     [](double x) {
       const double t = std::tanh(approximate_angle(x));
       return (1 - t * t) / 2 * std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
     }},
    {SelfGate::kGeluSigmoid, [](double x) { return sigmoid(1.702 * x); },
     [](double x) { return 1.702 * sigmoid(1.702 * x) * sigmoid(-1.702 * x); }}};

TEST_P(ActivationKernel, GatedActivationsAndTheirGradientsFollowTheirFormulas) {
  for (const GateCase& gate : kGates) {
    for (const Shape& shape : kShapes) {
      const Array x = random_view(shape, 7), dy = random(shape, 8);
      Array y = zeros(shape);
      on->gated(x, gate.gate, y);
      expect_values(y, map(values(x), [&](double v) { return v * gate.g(v); }));
      const Doubles dx =
          map(values(dy), values(x), [&](double d, double v) { return d * (gate.g(v) + v * gate.slope(v)); });
      expect_in_every_sink(shape, dx, [&](Sink sink) { on->gated_backward(dy, x, gate.gate, sink); });
    }
  }
}

// Far from zero a gate is open or closed, and the value is x or 0.
TEST_P(ActivationKernel, GatedActivationsAreAccurateForAllMagnitudes) {
  const double unit =
      dtype() == DType::kFloat32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const Array x = array({static_cast<std::int64_t>(sweep().size())}, sweep());
  const Doubles from = values(x);
  for (const GateCase& gate : kGates) {
    Array y = on->empty_like(x);
    on->gated(x, gate.gate, y);
    const Doubles to = values(y);
    for (std::size_t i = 0; i < from.size(); ++i) {
      ASSERT_NEAR(to[i], from[i] * gate.g(from[i]), 4 * unit * std::abs(from[i])) << "of " << from[i];
    }
  }
}

TEST_P(ActivationKernel, AreAccurateToFourUnitsInTheLastPlace) {
  const double unit =
      dtype() == DType::kFloat32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const Array x = array({static_cast<std::int64_t>(sweep().size())}, sweep());
  Array tanh_x = on->empty_like(x), sigmoid_x = on->empty_like(x);
  on->tanh(x, tanh_x);
  on->sigmoid(x, sigmoid_x);
  const Doubles from = values(x), tanhs = values(tanh_x), sigmoids = values(sigmoid_x);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double t = std::tanh(from[i]), s = sigmoid(from[i]);
    ASSERT_NEAR(tanhs[i], t, 4 * unit * std::abs(t)) << "tanh of " << from[i];
    // Below -87 the sigmoid is less than 1e-37 and may be 0.
    ASSERT_NEAR(sigmoids[i], s, from[i] > -87 ? 4 * unit * s : 1e-37) << "sigmoid of " << from[i];
  }
}

// A value gives the same bits in a whole vector and among the elements that are left after the last whole vector.
TEST_P(ActivationKernel, BitsDoNotDependOnThePlaceInAVector) {
  Doubles some = unrounded_values(40, 7);
  const Array x = array({40}, some);
  Array tanh_x = on->empty_like(x), sigmoid_x = on->empty_like(x), gelu_x = on->empty_like(x);
  on->tanh(x, tanh_x);
  on->sigmoid(x, sigmoid_x);
  on->gated(x, SelfGate::kGelu, gelu_x);
  for (std::int64_t i = 0; i < 40; ++i) {
    const Array alone = x.columns(i, 1);
    Array y = on->empty_like(alone);
    on->tanh(alone, y);
    EXPECT_EQ(values(y)[0], values(tanh_x)[i]);
    on->sigmoid(alone, y);
    EXPECT_EQ(values(y)[0], values(sigmoid_x)[i]);
    on->gated(alone, SelfGate::kGelu, y);
    EXPECT_EQ(values(y)[0], values(gelu_x)[i]);
  }
}

TEST_P(ActivationKernel, ShapesThatDoNotFitAreRefused) {
  Array y = zeros({2, 3});
  const Array other = zeros({3, 2});
  EXPECT_THROW(on->multiply(y, other, Sink::overwrite(y)), ShapeError);
  EXPECT_THROW(on->tanh(other, y), ShapeError);
  EXPECT_THROW(on->tanh_backward(y, other, Sink::overwrite(y)), ShapeError);
  EXPECT_THROW(on->sigmoid(other, y), ShapeError);
  EXPECT_THROW(on->sigmoid_backward(y, y, Sink::overwrite(other)), ShapeError);
  EXPECT_THROW(on->gated(other, SelfGate::kSilu, y), ShapeError);
  EXPECT_THROW(on->gated_backward(y, other, SelfGate::kSilu, Sink::overwrite(y)), ShapeError);
}

}  // namespace
}  // namespace dragoman
