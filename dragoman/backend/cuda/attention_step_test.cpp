#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaAttentionStep = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaAttentionStep, kElements, element_name);

constexpr Mask kCausal{.kind = Mask::Kind::kCausal};

struct Widths {
  std::int64_t h, d_k, d_v;
};
// The kernel works on a key with a group of 8, 16 or 32 lanes, each of which loads a pack of 16 bytes. Vectors that are
// not aligned take another path, without packs. These widths cover groups of every size, groups with idle lanes,
// different widths of keys and values, and widths that are no multiple of a pack, which make vectors unaligned. Heads
// of more than 256 channels have a block each, or several: one for each 512 columns of the values.
const std::vector<Widths> kWidths = {{8, 64, 64},   {3, 8, 8},      {2, 24, 40},   {1, 128, 128},
                                     {2, 256, 256}, {5, 7, 7},      {3, 33, 100},  {2, 96, 64},
                                     {4, 16, 32},   {1, 512, 512},  {2, 264, 264}, {1, 8, 1032},
                                     {3, 520, 16},  {1, 1024, 512}, {2, 257, 300}, {1, 300, 513}};

Heads heads_of(const Widths& widths) {
  return {.h = widths.h, .scale = 1 / std::sqrt(static_cast<double>(widths.d_k)), .dropout = {}};
}

Array random_array(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  return make_array(on, shape, dtype, random_values(shape.count(), seed));
}
Array integers(const Backend& on, const Shape& shape, const std::vector<int>& values) {
  return make_array(on, shape, DType::kInt32, {values.begin(), values.end()});
}

// Q, K and V as neighbouring ranges of columns of one matrix, because the model computes several of them as one
// product. `skipped` columns come before them, which can make the rows of Q, K and V unaligned.
struct Projected {
  Array Q, K, V;

  Projected(const Backend& on, DType dtype, std::int64_t rows, const Widths& widths, std::int64_t skipped) {
    const std::int64_t keys = widths.h * widths.d_k, values = widths.h * widths.d_v;
    const Array all = random_array(on, {rows, skipped + 2 * keys + values}, dtype, 1);
    Q = all.columns(skipped, keys);
    K = all.columns(skipped + keys, keys);
    V = all.columns(skipped + 2 * keys, values);
  }
};

// Attention of one step over the cache; a cell is a row of the cached K and V. Row i of the queries has lengths[i]
// earlier tokens. Rows 0 and 1, 2 and 3, and so on share the cells of their earlier tokens, which lie in scattered
// order among the first `shared` cells. After these, each row has a cell for its new token. The
// attention weights are computed too if `observed`.
KernelCall cached_call(const Widths& widths, const std::vector<int>& lengths, const Mask& mask, bool observed,
                       std::int64_t skipped = 0) {
  return [=](const Backend& on, DType dtype) -> std::vector<Array> {
    const auto rows = static_cast<std::int64_t>(lengths.size());
    const int steps = lengths.empty() ? 1 : *std::ranges::max_element(lengths) + 2;
    const auto shared = static_cast<int>((rows + 1) / 2) * steps;
    std::vector<int> cells;
    for (int row = 0; row < static_cast<int>(rows); ++row) {
      for (int t = 0; t < steps; ++t) {
        cells.push_back(t < lengths[row] ? (row / 2 * steps + t) * 7 % shared : t == lengths[row] ? shared + row : -1);
      }
    }
    const Projected current(on, dtype, rows, widths, skipped);
    const CachedKeys cache{.K = random_array(on, {shared + rows, widths.h * widths.d_k}, dtype, 2),
                           .V = random_array(on, {shared + rows, widths.h * widths.d_v}, dtype, 3),
                           .cells = integers(on, {rows, steps}, cells),
                           .lengths = integers(on, {rows}, lengths)};
    Array O = random_array(on, {rows, widths.h * widths.d_v}, dtype, 4);
    Array weights = observed ? random_array(on, {rows, widths.h, steps}, accumulation_dtype(dtype), 5) : Array();
    on.attention_cached(current.Q, current.K, current.V, cache, mask, heads_of(widths), O, weights);
    std::vector<Array> outputs{O, cache.K, cache.V};
    if (observed) outputs.push_back(weights);
    return outputs;
  };
}

// The memory holds sentences of these lengths; `beam` rows attend to each.
KernelCall memory_call(const Widths& widths, const std::vector<int>& lengths, int beam, bool observed,
                       std::int64_t skipped = 0) {
  return [=](const Backend& on, DType dtype) -> std::vector<Array> {
    std::vector<int> first, count;
    int total = 0;
    for (const int n : lengths) {
      first.insert(first.end(), static_cast<std::size_t>(beam), total);
      count.insert(count.end(), static_cast<std::size_t>(beam), n);
      total += n;
    }
    const auto rows = static_cast<std::int64_t>(first.size());
    const Projected current(on, dtype, rows, widths, skipped), memory(on, dtype, total, widths, skipped);
    const MemoryRows places{.first = integers(on, {rows}, first),
                            .count = integers(on, {rows}, count),
                            .longest = lengths.empty() ? 0 : *std::ranges::max_element(lengths)};
    Array O = random_array(on, {rows, widths.h * widths.d_v}, dtype, 4);
    Array weights =
        observed ? random_array(on, {rows, widths.h, places.longest}, accumulation_dtype(dtype), 5) : Array();
    on.attention_memory(current.Q, memory.K, memory.V, places, heads_of(widths), O, weights);
    return observed ? std::vector<Array>{O, weights} : std::vector<Array>{O};
  };
}

TEST_P(CudaAttentionStep, TakesAnyNumberOfCachedTokens) {
  const std::vector<int> lengths = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 30, 31, 32, 33, 40, 63, 64, 65, 130};
  for (const Widths& widths : kWidths) {
    SCOPED_TRACE(join(widths.h, " heads of ", widths.d_k, " and ", widths.d_v));
    for (const bool observed : {false, true}) expect_as_on_cpu(cached_call(widths, lengths, kCausal, observed));
  }
}

TEST_P(CudaAttentionStep, AWindowLimitsTheCachedTokens) {
  for (const Mask::Window window : {Mask::Window::kSliding, Mask::Window::kBlock}) {
    for (const std::int64_t r : {1, 2, 5, 33, 200}) {
      const Mask mask{.kind = Mask::Kind::kCausal, .r = r, .window = window};
      expect_as_on_cpu(cached_call({8, 64, 64}, {0, 1, 4, 5, 31, 32, 33, 70}, mask, true));
      expect_as_on_cpu(cached_call({3, 5, 9}, {0, 1, 4, 5, 31, 32, 33, 70}, mask, true));
      expect_as_on_cpu(cached_call({1, 512, 520}, {0, 1, 4, 5, 31, 32, 33, 70}, mask, true));
    }
  }
}

TEST_P(CudaAttentionStep, TakesAMemoryOfAnyLength) {
  for (const Widths& widths : kWidths) {
    SCOPED_TRACE(join(widths.h, " heads of ", widths.d_k, " and ", widths.d_v));
    for (const int beam : {1, 4, 5}) {
      for (const bool observed : {false, true}) {
        expect_as_on_cpu(memory_call(widths, {1, 2, 16, 17, 31, 32, 33, 64, 100, 3}, beam, observed));
      }
    }
  }
}

TEST_P(CudaAttentionStep, AnEmptySentenceGivesZeros) {
  expect_as_on_cpu(memory_call({2, 8, 8}, {3, 0}, 2, true));
  expect_as_on_cpu(memory_call({2, 512, 512}, {3, 0}, 2, true));
}

TEST_P(CudaAttentionStep, RowsNeedNotBeAligned) {
  for (const std::int64_t skipped : {1, 4}) {
    expect_as_on_cpu(cached_call({4, 16, 16}, {0, 3, 20}, kCausal, false, skipped));
    expect_as_on_cpu(memory_call({4, 16, 16}, {5, 9}, 2, false, skipped));
    expect_as_on_cpu(cached_call({1, 512, 512}, {0, 3, 20}, kCausal, false, skipped));
    expect_as_on_cpu(memory_call({1, 512, 512}, {5, 9}, 2, false, skipped));
  }
}

TEST_P(CudaAttentionStep, TakesBatchesWithoutRows) {
  expect_as_on_cpu(cached_call({2, 8, 8}, {}, kCausal, false));
  expect_as_on_cpu(memory_call({2, 8, 8}, {}, 4, false));
}

TEST_P(CudaAttentionStep, TakesManyRowsAndLongSentences) {
  std::vector<int> lengths;
  for (int row = 0; row < 300; ++row) lengths.push_back(1 + row * 37 % 40);
  expect_as_on_cpu(cached_call({8, 64, 64}, lengths, kCausal, false));
  expect_as_on_cpu(cached_call({2, 64, 64}, {2000, 1999, 5}, kCausal, true));
  expect_as_on_cpu(cached_call({1, 512, 512}, {2000, 1999, 5}, kCausal, true));
  expect_as_on_cpu(memory_call({8, 64, 64}, lengths, 4, false));
  expect_as_on_cpu(memory_call({2, 64, 64}, {2000, 3}, 2, true));
}

// With many hypotheses the same rows are computed by other blocks.
TEST_P(CudaAttentionStep, ARowDoesNotDependOnTheOthers) {
  for (const Widths& widths : {Widths{2, 64, 64}, Widths{1, 512, 512}}) {
    const auto first_row = [&](const std::vector<int>& sentences) {
      const std::vector<Array> outputs = memory_call(widths, sentences, 1, false)(*gpu, dtype());
      return values_of(*gpu, outputs[0].row_range(0, 1));
    };
    EXPECT_EQ(first_row({50}), first_row({50, 7, 33, 90, 12, 60}));
  }
}

}  // namespace
}  // namespace dragoman::cuda
