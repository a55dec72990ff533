// The public functions of every device refuse shapes that do not fit, before a kernel runs.
#include <gtest/gtest.h>

#include <string>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

class Contract : public KernelTest {
 protected:
  // Checks that the call throws a ShapeError that names the kernel and this shape.
  static void expect_refused(const std::string& kernel, const std::string& shape, const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << kernel << " accepted " << shape;
    } catch (const ShapeError& error) {
      EXPECT_NE(std::string(error.what()).find(kernel), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(shape), std::string::npos) << error.what();
    }
  }
  Sink sink(const Shape& shape) const { return Sink::overwrite(zeros(shape)); }
};
INSTANTIATE_TEST_SUITE_P(Devices, Contract, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

TEST_P(Contract, ProductsRefuseShapesThatDoNotFit) {
  const Array x = zeros({4, 3}), W = zeros({3, 5});
  Array y = zeros({4, 5}), too_wide = zeros({4, 6}), dy = zeros({4, 5});
  expect_refused("matmul", "[4, 6]",
                 [&] { on->matmul(x, Transpose::kNo, W, Transpose::kNo, Sink::overwrite(too_wide)); });
  expect_refused("linear", "[4, 6]", [&] { on->linear(x, W, {}, {}, too_wide); });
  expect_refused("linear", "[4]", [&] { on->linear(x, W, zeros({4}), {}, y); });
  const Activation dropped{.relu = true, .dropout = Dropout::with(0.5, 1, 1, 0), .segments = make_segments(*on, {3})};
  expect_refused("linear", "[4, 3]", [&] { on->linear(x, W, {}, dropped, y); });
  expect_refused("linear_backward", "[5, 3]", [&] { on->linear_backward(dy, x, W, y, {}, {}, sink({5, 3}), {}); });
  expect_refused("linear_backward", "[4, 6]", [&] { on->linear_backward(too_wide, x, W, y, {}, {}, {}, {}); });
}

TEST_P(Contract, AttentionRefusesShapesThatDoNotFit) {
  const Array Q = zeros({3, 4}), K = zeros({3, 4}), V = zeros({3, 6});
  Array O = zeros({3, 6}), wrong = zeros({3, 4}), log_sums = zeros({3, 2}), none;
  const Reach reach{make_segments(*on, {2, 1}), make_segments(*on, {1, 2}), {}};
  const Heads heads{.h = 2, .scale = 1, .dropout = {}};
  expect_refused("attention", "[3, 4]", [&] { on->attention(Q, K, V, reach, heads, wrong, log_sums, none); });
  expect_refused("attention", "[3, 4]", [&] { on->attention(Q, K, V, reach, heads, O, wrong, none); });
  expect_refused("attention_backward", "[6, 3]", [&] {
    on->attention_backward(O, Q, K, V, O, log_sums, reach, heads, {}, {}, sink({6, 3}));
  });
  const CachedKeys cache{zeros({9, 4}), zeros({9, 6}), make_array(*on, {2, 3}, DType::kInt32, Doubles(6, 0)),
                         integers({0, 0})};
  const Mask causal{.kind = Mask::Kind::kCausal};
  expect_refused("attention_cached", "[2, 3]", [&] { on->attention_cached(Q, K, V, cache, causal, heads, O, none); });
  expect_refused("attention_cached", "causal", [&] { on->attention_cached(Q, K, V, cache, {}, heads, O, none); });
  const MemoryRows memory{integers({0, 0}), integers({1, 1}), 1};
  expect_refused("attention_memory", "[2]", [&] { on->attention_memory(Q, K, V, memory, heads, O, none); });
}

TEST_P(Contract, AttentionOverAMemoryRefusesShapesThatDoNotFit) {
  const Array q = zeros({2, 3}), K = zeros({5, 3}), V = zeros({5, 4}), v = zeros({3}), chosen = integers({0, 0});
  Array weights = zeros({2, 3}), narrow = zeros({2, 2}), O = zeros({2, 4}), no_key = integers({0}), none;
  const MemoryRows memory{integers({0, 2}), integers({2, 3}), 3};
  expect_refused("memory_weights", "[2, 2]", [&] { on->memory_weights(q, K, v, 1, memory, narrow); });
  expect_refused("memory_weights", "[5, 4]", [&] { on->memory_weights(q, V, v, 1, memory, weights); });
  expect_refused("memory_weights", "[5, 3]", [&] { on->memory_weights(q, K, K, 1, memory, weights); });
  const auto scores_backward = [&](const Array& with_v, Sink dq, Sink dv) {
    on->memory_weights_backward(weights, weights, q, K, with_v, 1, memory, dq, {}, dv);
  };
  expect_refused("memory_weights_backward", "[3, 2]", [&] { scores_backward(v, sink({3, 2}), {}); });
  expect_refused("memory_weights_backward", "[3]", [&] { scores_backward({}, {}, sink({3})); });
  expect_refused("memory_mix", "[2, 3]", [&] { on->memory_mix(weights, V, memory, weights); });
  expect_refused("memory_mix_backward", "[4, 5]", [&] {
    on->memory_mix_backward(O, weights, V, memory, {}, sink({4, 5}));
  });
  expect_refused("choose_keys", "[1]", [&] { on->choose_keys(weights, memory, {}, no_key, none); });
  expect_refused("choose_keys", "[2, 2]", [&] { on->choose_keys(weights, memory, {}, no_key = chosen, narrow); });
  expect_refused("chosen_mix", "[1]", [&] { on->chosen_mix(weights, integers({0}), V, memory, O); });
  expect_refused("chosen_mix_backward", "[2, 2]", [&] {
    on->chosen_mix_backward(O, weights, chosen, narrow, 1, {}, V, memory, sink({2, 3}), {});
  });
}

TEST_P(Contract, NormsAndLossesRefuseShapesThatDoNotFit) {
  const Array x = zeros({2, 3}), gamma = zeros({3}), rows = zeros({2});
  Array losses = zeros({2}), nll = zeros({2}), y = zeros({2, 3}), mean = zeros({2}), rstd = zeros({3});
  expect_refused("layer_norm", "[3]", [&] { on->layer_norm(x, gamma, gamma, 1e-6, y, mean, rstd); });
  expect_refused("layer_norm_backward", "[2]",
                 [&] { on->layer_norm_backward(x, x, gamma, rows, rows, {}, sink({2}), {}); });
  expect_refused("weight_norm", "[2]", [&] { on->weight_norm(x, rows, y, rstd); });
  expect_refused("weight_norm", "[2]", [&] { on->weight_norm(x, gamma, mean, rstd); });
  expect_refused("weight_norm_backward", "[3, 2]", [&] {
    on->weight_norm_backward(x, x, gamma, gamma, sink({3, 2}), {});
  });
  expect_refused("weight_norm_backward", "[2]", [&] { on->weight_norm_backward(x, x, gamma, gamma, {}, sink({2})); });
  const Array E = zeros({5, 3}), targets = integers({1, 2});
  expect_refused("smoothed_cross_entropy", "[3, 5]", [&] {
    on->smoothed_cross_entropy(x, E, {}, targets, {}, 1, 8, losses, nll, {}, sink({3, 5}), {});
  });
  expect_refused("smoothed_cross_entropy", "[2]",
                 [&] { on->smoothed_cross_entropy(x, E, {}, targets, {}, 1, 8, losses, nll, {}, {}, sink({2})); });
}

TEST_P(Contract, OptimiserRefusesShapesThatDoNotFit) {
  Array theta = zeros({4}), m = zeros({4}), v = zeros({4}), short_copy = zeros({3}), scale = zeros({2});
  expect_refused("adam", "[3]", [&] { on->adam(zeros({4}), {}, {}, theta, m, v, short_copy); });
  expect_refused("update_scale", "[2]", [&] { on->update_scale(zeros({1}), {}, 0, scale); });
}

}  // namespace
}  // namespace dragoman
