#include "dragoman/backend/additive_attention.h"

#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaAdditiveAttention = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaAdditiveAttention, kElements, element_name);

// One width is above the 256 columns that a warp computes at once.
struct HeadWidths {
  std::int64_t h, d_k, d_v;
};
const std::vector<HeadWidths> kHeadWidths = {{2, 16, 16}, {3, 5, 7}, {1, 64, 33}, {1, 300, 270}};

Array some_values(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  return make_array(on, shape, dtype, random_values(shape.count(), seed));
}
Array some_integers(const Backend& on, const Shape& shape, const std::vector<int>& values) {
  return make_array(on, shape, DType::kInt32, {values.begin(), values.end()});
}
Heads plain_heads(std::int64_t h, const Dropout& dropout = {}) { return {.h = h, .scale = 1, .dropout = dropout}; }

// What varies between calls for whole sentences.
struct WholeCall {
  HeadWidths widths;
  std::vector<int> queries, keys;
  Mask mask = {};
  Dropout dropout = {};
  Sink::Write write = Sink::Write::kOverwrite;
};

// Forward with weights, and backward. Q, K and V are ranges of columns, as the model has them.
std::vector<Array> run_whole(const Backend& on, DType dtype, const WholeCall& call) {
  const auto [h, d_k, d_v] = call.widths;
  const Segments queries = make_segments(on, call.queries, 3), keys = make_segments(on, call.keys, 3);
  const Reach reach{queries, keys, call.mask};
  const Heads heads = plain_heads(h, call.dropout);
  const Array Q = some_values(on, {queries.R, h * d_k + 3}, dtype, 1).columns(3, h * d_k),
              KV = some_values(on, {keys.R, h * (d_k + d_v)}, dtype, 2), K = KV.columns(0, h * d_k),
              V = KV.columns(h * d_k, h * d_v), v = some_values(on, {h, d_k}, accumulation_dtype(dtype), 3),
              dO = some_values(on, {queries.R, h * d_v}, dtype, 4);
  std::int64_t count = 0;
  for (std::size_t b = 0; b < call.queries.size(); ++b) count += h * call.queries[b] * call.keys[b];
  Array O = some_values(on, {queries.R, h * d_v}, dtype, 5),
        log_sums = on.empty({queries.R, h}, accumulation_dtype(dtype)),
        weights = on.empty({count}, accumulation_dtype(dtype));
  on.additive_attention(Q, K, V, v, reach, heads, O, log_sums, weights);
  const Array dQ = some_values(on, {queries.R, h * d_k}, dtype, 6), dK = some_values(on, {keys.R, h * d_k}, dtype, 7),
              dV = some_values(on, {keys.R, h * d_v}, dtype, 8),
              dv = some_values(on, {h, d_k}, accumulation_dtype(dtype), 9);
  on.additive_attention_backward(dO, Q, K, V, v, O, log_sums, reach, heads, {dQ, call.write}, {dK, call.write},
                                 {dV, call.write}, {dv, call.write});
  return {O, weights, dQ, dK, dV, dv};
}

constexpr Mask kPast{.kind = Mask::Kind::kCausal};

// The gradient of a score is the difference of two numbers, one of them computed from the rounded output. If a query
// has one key, they cancel out.
TEST_P(CudaAdditiveAttention, AgreesWithTheCpu) {
  constexpr double kSlack = 4;
  const std::vector<int> some{3, 1, 40, 9}, others{1, 37, 2, 70};
  for (const HeadWidths& widths : kHeadWidths) {
    for (const Dropout& dropout : {Dropout(), Dropout::with(0.3, 1, 1, 0)}) {
      for (const Mask& mask : {Mask(), kPast, Mask{.kind = Mask::Kind::kCausal, .r = 4}, Mask{.r = 5}}) {
        expect_as_on_cpu(
            [&](const Backend& on, DType dtype) {
              return run_whole(on, dtype, {widths, some, some, mask, dropout});
            },
            kSlack);
      }
      expect_as_on_cpu(
          [&](const Backend& on, DType dtype) {
            return run_whole(on, dtype, {widths, some, others, {}, dropout});
          },
          kSlack);
    }
  }
}

TEST_P(CudaAdditiveAttention, ObeysItsSinks) {
  for (const auto write : {Sink::Write::kNone, Sink::Write::kAccumulate}) {
    expect_as_on_cpu(
        [&](const Backend& on, DType dtype) {
          return run_whole(on, dtype, {{2, 16, 8}, {3, 20}, {5, 11}, {}, {}, write});
        },
        2);
  }
}

TEST_P(CudaAdditiveAttention, SentencesWithoutKeysGiveZeros) {
  expect_as_on_cpu(
      [&](const Backend& on, DType dtype) {
        return run_whole(on, dtype, {{2, 16, 8}, {3, 2, 0}, {0, 4, 3}});
      },
      2);
}

TEST_P(CudaAdditiveAttention, HasTheSameBitsEveryTime) {
  const auto once = [&] {
    Doubles all;
    for (const Array& output : run_whole(*gpu, dtype(), {{2, 16, 16}, {30, 7, 90}, {30, 7, 90}, kPast})) {
      const Doubles next = values_of(*gpu, output);
      all.insert(all.end(), next.begin(), next.end());
    }
    gpu->arena().pop_to(0);
    return all;
  };
  EXPECT_EQ(once(), once());
}

// Rows 0 and 1 share the cells of their earlier tokens.
TEST_P(CudaAdditiveAttention, StepsOverTheCacheAgreeWithTheCpu) {
  for (const HeadWidths& widths : kHeadWidths) {
    for (const std::int64_t r : {0, 3}) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
        const auto [h, d_k, d_v] = widths;
        const CachedKeys cache{.K = some_values(on, {60, h * d_k}, dtype, 1),
                               .V = some_values(on, {60, h * d_v}, dtype, 2),
                               .cells = some_integers(on, {3, 6},
                                                      {5, 2, 7, 50, -1, -1,  //
                                                       5, 2, 7, 9, 51, -1,   //
                                                       52, -1, -1, -1, -1, -1}),
                               .lengths = some_integers(on, {3}, {3, 4, 0})};
        const Array Q = some_values(on, {3, h * d_k}, dtype, 3), K = some_values(on, {3, h * d_k}, dtype, 4),
                    V = some_values(on, {3, h * d_v}, dtype, 5),
                    v = some_values(on, {h, d_k}, accumulation_dtype(dtype), 6);
        Array O = some_values(on, {3, h * d_v}, dtype, 7), weights = on.empty({3, h, 6}, accumulation_dtype(dtype));
        const Mask mask{.kind = Mask::Kind::kCausal, .r = r};
        on.additive_attention_cached(Q, K, V, v, cache, mask, plain_heads(h), O, weights);
        return {O, cache.K, cache.V, weights.reshaped({3 * h, 6})};
      });
    }
  }
}

TEST_P(CudaAdditiveAttention, StepsOverTheMemoryAgreeWithTheCpu) {
  for (const HeadWidths& widths : kHeadWidths) {
    expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
      const auto [h, d_k, d_v] = widths;
      const MemoryRows memory{some_integers(on, {4}, {2, 2, 42, 0}), some_integers(on, {4}, {40, 40, 5, 1}), 40};
      const Array Q = some_values(on, {4, h * d_k}, dtype, 1), KV = some_values(on, {50, h * (d_k + d_v)}, dtype, 2),
                  v = some_values(on, {h, d_k}, accumulation_dtype(dtype), 3);
      Array O = some_values(on, {4, h * d_v}, dtype, 4), weights = on.empty({4, h, 40}, accumulation_dtype(dtype));
      on.additive_attention_memory(Q, KV.columns(0, h * d_k), KV.columns(h * d_k, h * d_v), v, memory, plain_heads(h),
                                   O, weights);
      return {O, weights.reshaped({4 * h, 40})};
    });
  }
}

}  // namespace
}  // namespace dragoman::cuda
