#include "dragoman/ops/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/autograd/testing.h"

namespace dragoman::ops {
namespace {

constexpr Mask kAll{}, kCausal{.kind = Mask::Kind::kCausal};
const Dropout kDropout = Dropout::with(0.3, 1, 1, 0);

// Two heads with d_k = 3 and d_v = 2.
DifferentiableFunction heads_over(const Reach& reach, const Dropout& dropout = {}) {
  return [=](std::span<const Tensor> x) {
    return attention(x[0], x[1], x[2], reach, {.h = 2, .scale = 1 / std::sqrt(3.0), .dropout = dropout});
  };
}

Tensors inputs(const Workbench& bench, const Reach& reach) {
  return {bench.random({reach.queries.R, 6}, 1), bench.random({reach.keys.R, 6}, 2),
          bench.random({reach.keys.R, 4}, 3)};
}

TEST(Attention, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Segments self = bench.segments({3, 1, 5, 1}), memory = bench.segments({1, 4, 2, 6});
  const Mask window{.kind = Mask::Kind::kAll, .r = 3}, causal_window{.kind = Mask::Kind::kCausal, .r = 2};
  for (const Dropout& dropout : {Dropout(), kDropout}) {
    for (const Mask& mask : {kAll, kCausal, window, causal_window}) {
      const Reach reach{self, self, mask};
      expect_gradients_match(heads_over(reach, dropout), inputs(bench, reach));
    }
    const Reach cross{self, memory, kAll};
    expect_gradients_match(heads_over(cross, dropout), inputs(bench, cross));
  }
}

TEST(Attention, GradientMatchesFiniteDifferencesWhereQueriesSeeNoKey) {
  const Workbench bench;
  const Reach no_keys{bench.segments({2, 2, 3}), bench.segments({2, 0, 3}), kAll};
  expect_gradients_match(heads_over(no_keys), inputs(bench, no_keys));
  const Reach out_of_reach{bench.segments({6}), bench.segments({2}), {.kind = Mask::Kind::kAll, .r = 3}};
  expect_gradients_match(heads_over(out_of_reach), inputs(bench, out_of_reach));
}

TEST(Attention, GradientMatchesFiniteDifferencesForColumnsOfOneProduct) {
  const Workbench bench;
  const Segments self = bench.segments({2, 1, 3});
  const DifferentiableFunction heads = heads_over({self, self, kCausal});
  expect_gradients_match(
      [&](auto x) {
        const Tensor of[] = {columns(x[0], 0, 6), columns(x[0], 6, 6), columns(x[0], 12, 4)};
        return heads(of);
      },
      {bench.random({6, 16}, 1)});
}

// The gradients of one tensor in two or three roles are added up.
TEST(Attention, GradientMatchesFiniteDifferencesForOneTensorInSeveralRoles) {
  const Workbench bench;
  const Segments self = bench.segments({2, 1, 3}), memory = bench.segments({4, 1, 2});
  const DifferentiableFunction cross = heads_over({self, memory, kAll}), own = heads_over({self, self, kCausal});
  const auto keys_are_values = [&](std::span<const Tensor> x) { return cross(Tensors{x[0], x[1], x[1]}); };
  const auto all_are_one = [&](std::span<const Tensor> x) { return own(Tensors{x[0], x[0], x[0]}); };
  expect_gradients_match(keys_are_values, {bench.random({6, 6}, 1), bench.random({7, 6}, 2)});
  expect_gradients_match(all_are_one, {bench.random({6, 6}, 1)});
}

TEST(Attention, ShapeErrorNamesTheShapes) {
  const Workbench bench;
  const Segments two = bench.segments({2}), three = bench.segments({3});
  const Tensor Q = bench.random({2, 4}, 1), K = bench.random({3, 4}, 2), V = bench.random({3, 6}, 3);
  const Reach reach{two, three, kAll};
  const Heads heads{.h = 2, .scale = 1, .dropout = {}};
  expect_shape_error(
      [&] {
        attention(Q, bench.random({3, 6}, 4), V, reach, heads);
      },
      {"attention", "[2, 4]", "[3, 6]"});
  expect_shape_error(
      [&] {
        attention(Q, K, bench.random({2, 6}, 4), reach, heads);
      },
      {"attention", "[3, 4]", "[2, 6]"});
  expect_shape_error([&] { attention(Q, K, V, reach, {.h = 3, .scale = 1, .dropout = {}}); },
                     {"attention", "3 heads", "[2, 4]", "[3, 4]", "[3, 6]"});
  expect_shape_error(
      [&] {
        attention(Q, K, V, {two, two, kAll}, heads);
      },
      {"attention", "[2, 4]", "[3, 4]", "2 and 2 rows"});
}

}  // namespace
}  // namespace dragoman::ops
