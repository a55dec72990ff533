// The counts of multiply-adds against sums over every pair, row and tap.
#include "dragoman/backend/operations.h"

#include <gtest/gtest.h>

#include <functional>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using CountedOperations = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, CountedOperations, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

// Runs `work` with a counter, and again without one, which must add nothing.
struct Counts {
  std::int64_t operations, executed;
};
Counts counts_of(Backend& on, const std::function<void()>& work) {
  OperationCounter counter;
  on.count_operations(&counter);
  work();
  on.count_operations(nullptr);
  const Counts counts{counter.operations(), counter.executed()};
  work();
  EXPECT_EQ(counter.operations(), counts.operations);
  EXPECT_EQ(counter.executed(), counts.executed);
  return counts;
}

TEST_P(CountedOperations, OfAProductAreItsThreeSizesMultiplied) {
  for (const std::int64_t M : {1, 7, 64}) {
    for (const std::int64_t N : {1, 12, 33, 64}) {
      const Array A = random({M, 5}, 1), B = random({5, N}, 2), transposed = random({N, 5}, 3);
      Array C = zeros({M, N});
      const Counts plain = counts_of(*on, [&] { on->linear(A, B, {}, {}, C); });
      EXPECT_EQ(plain.operations, M * N * 5);
      EXPECT_EQ(counts_of(*on, [&] { on->matmul(A, Transpose::kNo, transposed, Transpose::kYes, Sink::accumulate(C)); })
                    .operations,
                M * N * 5);
      // Tiles compute at least what is needed, and less than a whole tile more for each row.
      if (!on_cuda()) {
        EXPECT_GE(plain.executed, M * N * 5);
        EXPECT_LT(plain.executed, M * (N + 64) * 5);
      }
    }
  }
}

TEST_P(CountedOperations, OfGradientsAreThoseOfTheGradientsThatAreWanted) {
  const Array x = random({6, 3}, 1), W = random({3, 4}, 2), y = random({6, 4}, 3);
  Array dy = random({6, 4}, 4);
  const Array dx = zeros({6, 3}), dW = zeros({3, 4});
  const auto counted = [&](const Sink& to_x, const Sink& to_W) {
    return counts_of(*on, [&] { on->linear_backward(dy, x, W, y, {}, to_x, to_W, {}); }).operations;
  };
  EXPECT_EQ(counted(Sink::overwrite(dx), Sink::overwrite(dW)), 2 * 6 * 3 * 4);
  EXPECT_EQ(counted(Sink::overwrite(dx), {}), 6 * 3 * 4);
  EXPECT_EQ(counted({}, {}), 0);
}

TEST_P(CountedOperations, OfAttentionAreThoseOfThePairsThatTheMaskAllows) {
  const std::vector<int> lengths{3, 1, 70, 0, 130};
  constexpr std::int64_t h = 2, d_k = 4, d_v = 8;
  Segments segments = make_segments(*on, lengths);
  const std::vector<std::int32_t> offsets{0, 3, 4, 74, 74, 204};
  segments.host_offsets = offsets.data();
  const std::int64_t R = segments.R;
  const Array Q = random({R, h * d_k}, 1), K = random({R, h * d_k}, 2), V = random({R, h * d_v}, 3),
              dO = random({R, h * d_v}, 4);
  Array O = zeros({R, h * d_v}), log_sums = on->empty({R, h}, accumulation_dtype(dtype())), none;
  const Array dQ = zeros({R, h * d_k}), dK = zeros({R, h * d_k}), dV = zeros({R, h * d_v});
  for (const Mask& mask : {Mask{}, Mask{Mask::Kind::kCausal}, Mask{Mask::Kind::kAll, 5}, Mask{Mask::Kind::kCausal, 5},
                           Mask{Mask::Kind::kAll, 6, Mask::Window::kBlock}}) {
    std::int64_t pairs = 0;
    for (const int n : lengths) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) pairs += j >= mask.first_key(i) && j < mask.end_key(i, n) ? 1 : 0;
      }
    }
    const Reach reach{segments, segments, mask};
    const Heads heads{.h = h, .scale = 0.5, .dropout = {}};
    const Counts forward = counts_of(*on, [&] { on->attention(Q, K, V, reach, heads, O, log_sums, none); });
    EXPECT_EQ(forward.operations, pairs * h * (d_k + d_v));
    const Counts backward = counts_of(*on, [&] {
      on->attention_backward(dO, Q, K, V, O, log_sums, reach, heads, Sink::overwrite(dQ), Sink::overwrite(dK),
                             Sink::overwrite(dV));
    });
    EXPECT_EQ(backward.operations, pairs * h * (3 * d_k + 2 * d_v));
    if (on_cuda()) continue;
    EXPECT_GE(forward.executed, forward.operations);
    EXPECT_GE(backward.executed, backward.operations);
    // A narrow window saves most of the work of the longest sentence, in tiles too.
    if (mask.r > 0 && mask.window == Mask::Window::kSliding) {
      EXPECT_LT(forward.executed, 130 * 130 * h * (d_k + d_v));
    }
  }
}

TEST_P(CountedOperations, OfAdditiveAttentionAreThoseOfProductsAndOfV) {
  const std::vector<std::int32_t> offsets{0, 3, 3, 8};
  Segments segments = make_segments(*on, {3, 0, 5});
  segments.host_offsets = offsets.data();
  constexpr std::int64_t h = 2, d_k = 4, d_v = 3, pairs = 3 * 4 / 2 + 5 * 6 / 2;
  const Array Q = random({8, h * d_k}, 1), K = random({8, h * d_k}, 2), V = random({8, h * d_v}, 3),
              dO = random({8, h * d_v}, 4);
  const Array v = make_array(*on, {h, d_k}, accumulation_dtype(dtype()), random_values(h * d_k, 5));
  Array O = zeros({8, h * d_v}), log_sums = on->empty({8, h}, accumulation_dtype(dtype())), none;
  const Reach reach{segments, segments, Mask{Mask::Kind::kCausal}};
  const Heads heads{.h = h, .scale = 1, .dropout = {}};
  EXPECT_EQ(counts_of(*on, [&] { on->additive_attention(Q, K, V, v, reach, heads, O, log_sums, none); }).operations,
            pairs * h * (d_k + d_v));
  const Array dQ = zeros({8, h * d_k}), dV = zeros({8, h * d_v}), dv = on->empty({h, d_k}, accumulation_dtype(dtype()));
  const Counts backward = counts_of(*on, [&] {
    on->additive_attention_backward(dO, Q, K, V, v, O, log_sums, reach, heads, Sink::overwrite(dQ), {},
                                    Sink::overwrite(dV), Sink::overwrite(dv));
  });
  EXPECT_EQ(backward.operations, pairs * h * (d_k + d_v + d_k + d_v + d_k));  // without dK
}

TEST_P(CountedOperations, OfAttentionOverAMemoryAreThoseOfTheKeysOfEachRow) {
  constexpr std::int64_t a = 4, d_v = 3, keys = 2 + 5;
  const MemoryRows memory{integers({0, 2}), integers({2, 5}), 5};
  const Array q = random({2, a}, 1), K = random({7, a}, 2), V = random({7, d_v}, 3), dO = random({2, d_v}, 4);
  Array weights = on->empty({2, 5}, accumulation_dtype(dtype())), O = zeros({2, d_v});
  EXPECT_EQ(counts_of(*on, [&] { on->memory_weights(q, K, {}, 1, memory, weights); }).operations, keys * a);
  EXPECT_EQ(counts_of(*on, [&] { on->memory_mix(weights, V, memory, O); }).operations, keys * d_v);
  const Array d_weights = on->empty_like(weights), dV = zeros({7, d_v}), dq = zeros({2, a});
  EXPECT_EQ(
      counts_of(
          *on,
          [&] { on->memory_mix_backward(dO, weights, V, memory, Sink::overwrite(d_weights), Sink::overwrite(dV)); })
          .operations,
      keys * d_v * 2);
  EXPECT_EQ(
      counts_of(
          *on,
          [&] { on->memory_weights_backward(d_weights, weights, q, K, {}, 1, memory, Sink::overwrite(dq), {}, {}); })
          .operations,
      keys * a);
}

TEST_P(CountedOperations, OfHaltingAreTheProductOfEachRow) {
  const Array x = random({5, 3}, 1), w = make_array(*on, {3}, accumulation_dtype(dtype()), random_values(3, 2)),
              b = make_array(*on, {1}, accumulation_dtype(dtype()), {0}), dx = zeros({5, 3});
  const auto column = [&](double value) {
    return make_array(*on, {5}, accumulation_dtype(dtype()), Doubles(5, value));
  };
  const Array rest = column(1), dweight = column(1);
  Array steps = column(0), p = column(0), weight = column(0), after = column(0), running = column(0);
  EXPECT_EQ(counts_of(*on, [&] { on->halt(x, w, b, {}, rest, steps, p, weight, after, running); }).operations, 5 * 3);
  EXPECT_EQ(counts_of(*on, [&] { on->halt_backward(dweight, {}, w, p, steps, 1, Sink::overwrite(dx), {}, after); })
                .operations,
            5 * 3);
}

TEST_P(CountedOperations, OfAttentionInWholeTilesAreThoseOfTheFormula) {
  Segments segments = make_segments(*on, {128});
  const std::vector<std::int32_t> offsets{0, 128};
  segments.host_offsets = offsets.data();
  const Array x = random({128, 64}, 1);
  Array O = zeros({128, 64}), log_sums = on->empty({128, 1}, accumulation_dtype(dtype())), none;
  const Counts counts = counts_of(*on, [&] {
    on->attention(x, x, x, {segments, segments, {}}, {.h = 1, .scale = 0.125, .dropout = {}}, O, log_sums, none);
  });
  EXPECT_EQ(counts.operations, 2 * 128 * 128 * 64);
  EXPECT_EQ(counts.executed, on_cuda() ? 0 : counts.operations);
}

TEST_P(CountedOperations, OfADepthwiseConvolutionAreOneForEachTap) {
  const Segments segments = make_segments(*on, {4, 1});
  const Taps taps = Taps::centred(3, 1);
  const Array x = random({5, 2}, 1), w = random({3, 2}, 2), dx = zeros({5, 2}), dw = zeros({3, 2});
  Array y = zeros({5, 2});
  const Counts forward = counts_of(*on, [&] { on->depthwise(x, segments, taps, w, y); });
  EXPECT_EQ(forward.operations, 3 * 5 * 2);
  const Counts backward = counts_of(
      *on, [&] { on->depthwise_backward(y, x, segments, taps, w, Sink::overwrite(dx), Sink::overwrite(dw)); });
  EXPECT_EQ(backward.operations, 2 * 3 * 5 * 2);
  // The kernel skips the taps beyond the ends: two of the first sentence, two of the second.
  EXPECT_EQ(forward.executed, on_cuda() ? 0 : (3 * 5 - 4) * 2);
  EXPECT_EQ(backward.executed, on_cuda() ? 0 : 2 * (3 * 5 - 4) * 2);
}

}  // namespace
}  // namespace dragoman
