#include "dragoman/backend/elementwise.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using ElementwiseKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, ElementwiseKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

const std::vector<Shape> kShapes = {{0, 3}, {1, 1}, {1, 33}, {5, 3}, {70, 17}, {3, 513}, {40, 1024}};

TEST_P(ElementwiseKernel, FillWritesItsColumnsAndNoOthers) {
  const Array wide = zeros({3, 8});
  Array view = wide.columns(2, 5);
  on->fill(view, 1.5);
  EXPECT_EQ(values(view), Doubles(15, 1.5));
  EXPECT_EQ(values(wide.columns(0, 2)), Doubles(6, 0.0));
  EXPECT_EQ(values(wide.columns(7, 1)), Doubles(3, 0.0));
}

TEST_P(ElementwiseKernel, ScaledMultiplies) {
  for (const Shape& shape : kShapes) {
    for (const Array& x : {random(shape, 1), random_view(shape, 1)}) {
      const Doubles expected = map(values(x), [](double v) { return -0.5 * v; });
      expect_in_every_sink(shape, expected, [&](Sink y) { on->scaled(x, -0.5, y); });
    }
  }
}

TEST_P(ElementwiseKernel, ScaledConvertsBetweenElementTypes) {
  const Array x = random_view({5, 17}, 2);
  for (const DType other : {DType::kFloat32, DType::kFloat64}) {
    const Array y = make_array(*on, {5, 17}, other, Doubles(85, 1.0));
    on->scaled(x, 2, Sink::accumulate(y));
    expect_near(values(y), map(values(x), [](double v) { return 1 + 2 * v; }), 1e-6);
  }
}

TEST_P(ElementwiseKernel, AddAddsElementByElement) {
  for (const Shape& shape : kShapes) {
    const Array a = random(shape, 3), b = random_view(shape, 4);
    Array y = zeros(shape), in_place = random(shape, 3);
    on->add(a, b, y);
    on->add(in_place, b, in_place);
    expect_values(y, map(values(a), values(b), std::plus<>()));
    EXPECT_EQ(values(y), values(in_place));
  }
}

TEST_P(ElementwiseKernel, BiasIsAddedToEveryRowAndItsGradientIsTheSumOfRows) {
  for (const Shape& shape : kShapes) {
    const std::int64_t R = shape.rows(), d = shape.cols();
    const Array x = random_view(shape, 5), b = random({d}, 6);
    const Doubles x_values = values(x), b_values = values(b);
    Doubles expected, total(static_cast<std::size_t>(d), 0.0);
    for (std::int64_t i = 0; i < R * d; ++i) {
      expected.push_back(x_values[i] + b_values[i % d]);
      total[i % d] += x_values[i];
    }
    Array y = zeros(shape);
    on->add_bias(x, b, y);
    expect_values(y, expected);
    expect_in_every_sink({d}, total, [&](Sink sum) { on->sum_rows(x, sum); });
  }
}

TEST_P(ElementwiseKernel, ReluPassesPositiveNumbersAndTheirGradients) {
  for (const Shape& shape : kShapes) {
    const Array x = random(shape, 7), dy = random_view(shape, 8);
    Array y = zeros(shape);
    on->relu(x, y);
    EXPECT_EQ(values(y), map(values(x), [](double v) { return v > 0 ? v : 0; }));
    const Doubles dx = map(values(dy), values(x), [](double d, double v) { return v > 0 ? d : 0; });
    expect_in_every_sink(shape, dx, [&](Sink sink) { on->relu_backward(dy, y, sink); });
  }
}

TEST_P(ElementwiseKernel, TransposeSwapsRowsAndColumns) {
  for (const Shape& shape : kShapes) {
    const std::int64_t R = shape.rows(), d = shape.cols();
    const Array x = random_view(shape, 9);
    const Doubles x_values = values(x);
    Doubles expected;
    for (std::int64_t c = 0; c < d; ++c) {
      for (std::int64_t r = 0; r < R; ++r) expected.push_back(x_values[r * d + c]);
    }
    expect_in_every_sink({d, R}, expected, [&](Sink y) { on->transpose(x, y); });
  }
}

TEST_P(ElementwiseKernel, SumIsTakenInDouble) {
  for (const Shape& shape : kShapes) {
    for (const Array& x : {random(shape, 10), random_view(shape, 10)}) {
      double expected = 0;
      for (const double v : values(x)) expected += 0.25 * v;
      Array total = on->empty({1}, DType::kFloat64);
      on->sum(x, 0.25, Sink::overwrite(total));
      expect_near(values(total), {expected}, 1e-12);
      on->sum(x, 0.5, Sink::accumulate(total));
      expect_near(values(total), {3 * expected}, 1e-12);
    }
  }
}

TEST_P(ElementwiseKernel, SumsHaveTheSameBitsWithAnyThreads) {
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
    const Array x = make_array(backend, {300, 517}, dtype(), random_values(300 * 517, 11));
    const Array rows = backend.empty({517}, dtype());
    Array total = backend.empty({1}, DType::kFloat64);
    backend.sum_rows(x, Sink::overwrite(rows));
    backend.sum(x, 1, Sink::overwrite(total));
    Doubles result = values_of(backend, rows);
    result.push_back(values_of(backend, total)[0]);
    return result;
  });
}

TEST_P(ElementwiseKernel, ShapesThatDoNotFitAreRefused) {
  Array y = zeros({2, 3});
  EXPECT_THROW(on->add(zeros({2, 3}), zeros({3, 2}), y), ShapeError);
  EXPECT_THROW(on->add_bias(zeros({2, 3}), zeros({2}), y), ShapeError);
  EXPECT_THROW(on->transpose(zeros({2, 3}), Sink::overwrite(y)), ShapeError);
  EXPECT_THROW(on->sum_rows(zeros({2, 3}), Sink::overwrite(y)), ShapeError);
}

}  // namespace
}  // namespace dragoman
