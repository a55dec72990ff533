#include "dragoman/backend/depth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using DepthKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, DepthKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

TEST_P(DepthKernel, CoordinatesAreAddedToEachRow) {
  const Array P = random({4, 5}, 1), s = random({1, 5}, 2), x = random_view({3, 5}, 3);
  const std::vector<int> places{3, 0, 3};
  Array y = zeros({3, 5});
  on->add_coordinates(x, integers(places), P, s, 0.5, y);
  Doubles expected = values(x);
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 5; ++c) {
      expected[r * 5 + c] += values(P)[static_cast<std::size_t>(places[r]) * 5 + c] + 0.5 * values(s)[c];
    }
  }
  expect_values(y, expected);
}

// Row 0 goes on, row 1 halts, and row 2 has halted before.
TEST_P(DepthKernel, RowsHaltWhenLittleIsLeft) {
  const Array x = array({3, 2}, {1, 1, 1, 1, 1, 1}), w = array({2, 1}, {.25, .25}), b = array({1}, {-.5});  // p = 0.5
  const Array rest = array({3, 1}, {1, .5, .25});
  Array steps = array({3, 1}, {0, 0, 1}), p = zeros({3, 1}), weight = zeros({3, 1}), after = zeros({3, 1}),
        running = zeros({3, 1});
  on->halt(x, w, b, {.t = 2}, rest, steps, p, weight, after, running);
  expect_values(p, {.5, .5, 0});
  expect_values(weight, {.5, .5, 0});
  expect_values(after, {.5, .5, .25});
  expect_values(steps, {0, 2, 1});
  expect_values(running, {1, 1, 0});
  on->halt(x, w, b, {.t = 3, .last = true}, rest, steps, p, weight, after, running);
  expect_values(weight, {1, 0, 0});
  expect_values(steps, {3, 2, 1});
}

TEST_P(DepthKernel, GradientsObeyTheirSinks) {
  const Array dy = random_view({3, 5}, 1), a = random({3, 5}, 2), x = random_view({3, 5}, 3);
  const Array w = array({3, 1}, {.5, 0, .25});
  for (const OldRows old : {OldRows::kKeep, OldRows::kFade}) {
    const bool fades = old == OldRows::kFade;
    Doubles da, dx, dw(3, 0.0);
    for (std::size_t i = 0; i < 15; ++i) {
      const double weight = values(w)[i / 5], d = values(dy)[i];
      da.push_back(fades ? (1 - weight) * d : d);
      dx.push_back(weight * d);
      dw[i / 5] += d * (values(x)[i] - (fades ? values(a)[i] : 0));
    }
    expect_in_every_sink({3, 5}, da, [&](Sink to) { on->blend_rows_backward(dy, a, x, w, old, to, {}, {}); });
    expect_in_every_sink({3, 5}, dx, [&](Sink to) { on->blend_rows_backward(dy, a, x, w, old, {}, to, {}); });
    Array sums = zeros({3, 1});
    on->blend_rows_backward(dy, a, x, w, old, {}, {}, Sink::overwrite(sums));
    expect_values(sums, dw, 4);
  }
}

TEST_P(DepthKernel, ShapesThatDoNotFitAreRefused) {
  Array y = zeros({3, 5}), column = zeros({3, 1}), other = zeros({4, 1});
  EXPECT_THROW(on->blend_rows({}, y, other, OldRows::kKeep, y), ShapeError);
  EXPECT_THROW(on->add_coordinates(y, integers({1, 2}), y, zeros({1, 5}), 1, y), ShapeError);
  EXPECT_THROW(on->halt(y, zeros({4, 1}), zeros({1}), {}, column, column, column, column, column, column), ShapeError);
  EXPECT_THROW(on->halt(y, zeros({5, 1}), zeros({1}), {}, other, column, column, column, column, column), ShapeError);
  EXPECT_THROW(on->halt_backward(other, {}, zeros({5, 1}), column, column, 1, {}, {}, column), ShapeError);
}

}  // namespace
}  // namespace dragoman
