#include <gtest/gtest.h>

#include "dragoman/backend/norm.h"
#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using WeightNormKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, WeightNormKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);
using WeightNormKernelInDouble = KernelTestInDouble;
INSTANTIATE_TEST_SUITE_P(Devices, WeightNormKernelInDouble, ::testing::ValuesIn(double_cases()), kernel_case_name);

// The formulas of the contract, written out.
struct Reference {
  Doubles W, lengths, dv, dg;

  Reference(const Doubles& v, const Doubles& g, const Doubles& dW) : W(v), dv(v) {
    const std::size_t out = g.size();
    for (std::size_t c = 0; c < out; ++c) {
      double squares = 0, along_u = 0;
      for (std::size_t i = c; i < v.size(); i += out) squares += v[i] * v[i];
      const double length = std::sqrt(squares);
      for (std::size_t i = c; i < v.size(); i += out) along_u += dW[i] * v[i] / length;
      for (std::size_t i = c; i < v.size(); i += out) {
        W[i] = g[c] * v[i] / length;
        dv[i] = g[c] / length * (dW[i] - along_u * v[i] / length);
      }
      lengths.push_back(length);
      dg.push_back(along_u);
    }
  }
};

TEST_P(WeightNormKernel, WorkedExample) {
  const Array v = array({2, 2}, {3, 0, 4, -5}), g = array({2}, {2, 10}), dW = array({2, 2}, {1, 1, 0, 1});
  Array W = zeros({2, 2}), lengths = zeros({2});
  on->weight_norm(v, g, W, lengths);
  expect_values(W, {1.2, 0, 1.6, -10});
  expect_values(lengths, {5, 5});
  const Array dv = zeros({2, 2}), dg = zeros({2});
  on->weight_norm_backward(dW, v, g, lengths, Sink::overwrite(dv), Sink::overwrite(dg));
  expect_values(dv, {0.256, 2, -0.192, 0});
  expect_values(dg, {0.6, -1});
}

TEST_P(WeightNormKernel, FollowsItsFormulas) {
  // 16 columns are a tile on a CUDA device, and 64 on the CPU.
  for (const std::int64_t out : {1, 3, 16, 17, 64, 65, 150}) {
    for (const std::int64_t in : {1, 2, 33, 700}) {
      SCOPED_TRACE(join(in, " rows, ", out, " columns"));
      const Array v = random_view({in, out}, 1), g = random({out}, 2), dW = random_view({in, out}, 3);
      Array W = random_view({in, out}, 4), lengths = zeros({out});
      on->weight_norm(v, g, W, lengths);
      const Reference expected(values(v), values(g), values(dW));
      // 1 / |v| multiplies the rounding error, and it is large if a short column is near zero.
      const double slack = in <= 2 ? 100 : 1;
      expect_values(lengths, expected.lengths);
      expect_values(W, expected.W);
      const auto backward = [&](Sink dv, Sink dg) { on->weight_norm_backward(dW, v, g, lengths, dv, dg); };
      expect_in_every_sink(
          {in, out}, expected.dv, [&](Sink sink) { backward(sink, {}); }, slack);
      expect_in_every_sink(
          {out}, expected.dg, [&](Sink sink) { backward({}, sink); }, slack);
    }
  }
}

TEST_P(WeightNormKernel, ASingleColumnMayBeContiguous) {
  for (const std::int64_t in : {1, 7, 16, 65, 1000}) {
    const Array v = random({in, 1}, 1), g = random({1}, 2), dW = random({in, 1}, 3);
    Array W = zeros({in, 1}), lengths = zeros({1});
    on->weight_norm(v, g, W, lengths);
    const Reference expected(values(v), values(g), values(dW));
    expect_values(lengths, expected.lengths);
    expect_values(W, expected.W);
    for (const auto write : {Sink::Write::kNone, Sink::Write::kOverwrite, Sink::Write::kAccumulate}) {
      const Array dv = random({in, 1}, 4), dg = random({1}, 5);
      Doubles dv_now = values(dv), dg_now = values(dg);
      const auto update = [&](double old, double gradient) {
        return write == Sink::Write::kNone ? old : write == Sink::Write::kOverwrite ? gradient : old + gradient;
      };
      dv_now = map(dv_now, expected.dv, update);
      dg_now = map(dg_now, expected.dg, update);
      on->weight_norm_backward(dW, v, g, lengths, {dv, write}, {dg, write});
      expect_values(dv, dv_now);
      expect_values(dg, dg_now);
    }
  }
}

TEST_P(WeightNormKernel, ColumnsAreIndependent) {
  const Array v = random({9, 70}, 1), g = random({70}, 2);
  Array W = zeros({9, 70}), W_part = zeros({9, 3}), lengths = zeros({70}), lengths_part = zeros({3});
  on->weight_norm(v, g, W, lengths);
  on->weight_norm(v.columns(66, 3), g.columns(66, 3), W_part, lengths_part);
  EXPECT_EQ(values(W_part), values(W.columns(66, 3)));
  EXPECT_EQ(values(lengths_part), values(lengths.columns(66, 3)));
}

TEST_P(WeightNormKernelInDouble, GradientMatchesFiniteDifferences) {
  const Shape shape{5, 3};
  const Doubles v = random_values(shape.count(), 1), g = random_values(3, 2), dW = random_values(shape.count(), 3);
  Array lengths = zeros({3});
  const auto forward = [&](const Doubles& v_values, const Doubles& g_values) {
    Array W = zeros(shape);
    on->weight_norm(array(shape, v_values), array({3}, g_values), W, lengths);
    return dot(dW, values(W));
  };
  forward(v, g);
  const Array dv = zeros(shape), dg = zeros({3});
  on->weight_norm_backward(array(shape, dW), array(shape, v), array({3}, g), lengths, Sink::overwrite(dv),
                           Sink::overwrite(dg));
  expect_near(values(dv), central_differences([&](const Doubles& at) { return forward(at, g); }, v), 1e-8);
  expect_near(values(dg), central_differences([&](const Doubles& at) { return forward(v, at); }, g), 1e-8);
}

TEST_P(WeightNormKernel, BackwardGivesItsScratchMemoryBack) {
  const Array v = random({9, 3}, 1), g = random({3}, 2), dg = zeros({3});
  const std::size_t used = on->arena().used();
  on->weight_norm_backward(v, v, g, g, {}, Sink::overwrite(dg));
  EXPECT_EQ(on->arena().used(), used);
}

TEST_P(WeightNormKernel, SameBitsWithAnyThreads) {
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
    const Shape shape{77, 201};
    const auto made = [&](const Shape& of, std::uint64_t seed) {
      return make_array(backend, of, dtype(), random_values(of.count(), seed));
    };
    const Array v = made(shape, 1), g = made({201}, 2), dv = backend.empty_like(v), dg = backend.empty_like(g);
    Array W = backend.empty_like(v), lengths = backend.empty_like(g);
    backend.weight_norm(v, g, W, lengths);
    backend.weight_norm_backward(made(shape, 3), v, g, lengths, Sink::overwrite(dv), Sink::overwrite(dg));
    Doubles all = values_of(backend, W);
    for (const Array& more : {lengths, dv, dg}) {
      const Doubles next = values_of(backend, more);
      all.insert(all.end(), next.begin(), next.end());
    }
    return all;
  });
}

}  // namespace
}  // namespace dragoman
