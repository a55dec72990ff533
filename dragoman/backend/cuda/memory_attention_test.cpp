#include "dragoman/backend/memory_attention.h"

#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaMemoryAttention = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaMemoryAttention, kElements, element_name);

constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};

// A row for each count; the memory rows of a row follow those of the row before. With `aligned`, the arrays can be
// loaded in vectors; otherwise they are ranges of columns that start anywhere.
struct Sizes {
  std::vector<int> counts;
  std::int64_t a, d_v;
  bool aligned;

  std::int64_t n() const { return static_cast<std::int64_t>(counts.size()); }
  std::int64_t longest() const { return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()); }
  std::int64_t memory_rows() const {
    std::int64_t rows = 2;  // one that nobody uses at each end
    for (const int count : counts) rows += count;
    return rows;
  }
  MemoryRows memory(const Backend& on) const {
    Doubles first, count;
    for (const int keys : counts) {
      first.push_back(first.empty() ? 1 : first.back() + count.back());
      count.push_back(keys);
    }
    return {make_array(on, {n()}, DType::kInt32, first), make_array(on, {n()}, DType::kInt32, count), longest()};
  }
  Array array(const Backend& on, std::int64_t rows, std::int64_t cols, DType dtype, std::uint64_t seed) const {
    const Shape shape{rows, aligned ? cols : cols + 5};
    const Array whole = make_array(on, shape, dtype, random_values(shape.count(), seed));
    return aligned ? whole : whole.columns(2, cols);
  }
};
const std::vector<Sizes> kSizes = {{{1}, 1, 1, false},
                                   {{}, 8, 8, true},
                                   {{0, 2}, 3, 5, false},
                                   {{5, 1, 17, 40, 3}, 37, 19, false},
                                   {{5, 1, 17, 40, 3}, 264, 520, true},
                                   {{33, 160, 1, 10}, 1024, 512, true},
                                   {{700, 3}, 128, 1024, true},
                                   {std::vector<int>(100, 4), 24, 16, true}};

// Weights that are exact in every element type, so that both devices continue from the same numbers: they stand in
// bfloat16 for softmax weights, which differ by rounding.
Array some_weights(const Backend& on, const Sizes& sizes, std::int64_t w, DType dtype, std::uint64_t seed) {
  Doubles values = random_values(sizes.n() * w, seed);
  for (std::int64_t r = 0; r < sizes.n(); ++r) {
    for (std::int64_t j = 0; j < w; ++j) {
      double& value = values[static_cast<std::size_t>(r * w + j)];
      const int keys = sizes.counts[static_cast<std::size_t>(r)];
      value = j < keys ? static_cast<double>(BFloat16((0.1 + std::abs(value)) / keys)) : 0;
    }
  }
  return make_array(on, {sizes.n(), w}, accumulation_dtype(dtype), values);
}

TEST_P(CudaMemoryAttention, WeightsAndTheirGradientsAgreeWithTheCpu) {
  for (const Sizes& sizes : kSizes) {
    for (const bool additive : {false, true}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const std::int64_t n = sizes.n(), w = sizes.longest() + 3, m = sizes.memory_rows(), a = sizes.a;
          const MemoryRows memory = sizes.memory(on);
          const Array q = sizes.array(on, n, a, dtype, 1), K = sizes.array(on, m, a, dtype, 2),
                      v = additive ? make_array(on, {a}, dtype, random_values(a, 3)) : Array();
          const double scale = 1 / std::sqrt(static_cast<double>(a));
          Array weights = on.empty({n, w}, accumulation_dtype(dtype));
          on.memory_weights(q, K, v, scale, memory, weights);
          const Array exact = some_weights(on, sizes, w, dtype, 4), d_weights = some_weights(on, sizes, w, dtype, 5);
          const Array dq = sizes.array(on, n, a, dtype, 6), dK = sizes.array(on, m, a, dtype, 7),
                      dv = make_array(on, {a}, dtype, random_values(a, 8));
          on.memory_weights_backward(d_weights, exact, q, K, v, scale, memory, {dq, write}, {dK, write},
                                     additive ? Sink{dv, write} : Sink());
          return std::vector<Array>{weights, dq, dK, dv};
        });
      }
    }
  }
}

TEST_P(CudaMemoryAttention, GradientsAndVectorsMayHaveOtherElementTypesThanTheInputs) {
  const Sizes sizes{{5, 1, 17}, 64, 32, true};
  expect_as_on_cpu([&](const Backend& on, DType dtype) {
    const DType precise = accumulation_dtype(dtype);
    const MemoryRows memory = sizes.memory(on);
    const std::int64_t n = sizes.n(), w = sizes.longest(), m = sizes.memory_rows();
    const Array q = sizes.array(on, n, 64, dtype, 1), K = sizes.array(on, m, 64, dtype, 2),
                v = make_array(on, {64}, precise, random_values(64, 3)), V = sizes.array(on, m, 32, dtype, 4),
                dO = sizes.array(on, n, 32, dtype, 5);
    const Array exact = some_weights(on, sizes, w, dtype, 6), d_weights = on.empty({n, w}, precise);
    const Array dq = on.empty({n, 64}, precise), dK = on.empty({m, 64}, precise), dv = on.empty({64}, precise),
                dV = on.empty({m, 32}, precise);
    on.memory_mix_backward(dO, exact, V, memory, Sink::overwrite(d_weights), Sink::overwrite(dV));
    on.memory_weights_backward(d_weights, exact, q, K, v, 1, memory, Sink::overwrite(dq), Sink::overwrite(dK),
                               Sink::overwrite(dv));
    return std::vector<Array>{d_weights, dV, dq, dK, dv};
  });
}

TEST_P(CudaMemoryAttention, MixesAndTheirGradientsAgreeWithTheCpu) {
  for (const Sizes& sizes : kSizes) {
    for (const auto write : kWrites) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        const std::int64_t n = sizes.n(), w = sizes.longest() + 3, m = sizes.memory_rows(), d_v = sizes.d_v;
        const MemoryRows memory = sizes.memory(on);
        const Array V = sizes.array(on, m, d_v, dtype, 1), dO = sizes.array(on, n, d_v, dtype, 2),
                    weights = some_weights(on, sizes, w, dtype, 3);
        Array O = sizes.array(on, n, d_v, dtype, 4);
        const Array d_weights = some_weights(on, sizes, w, dtype, 5), dV = sizes.array(on, m, d_v, dtype, 6);
        on.memory_mix(weights, V, memory, O);
        on.memory_mix_backward(dO, weights, V, memory, {d_weights, write}, {dV, write});
        return std::vector<Array>{O, d_weights, dV};
      });
    }
  }
}

// The rows choose their keys by `kind`; of drawn keys, a third of the rows use soft attention instead.
TEST_P(CudaMemoryAttention, ChoicesAndTheirGradientsAgreeWithTheCpu) {
  using Kind = KeyChoice::Kind;
  for (const Sizes& sizes : kSizes) {
    for (const Kind kind : {Kind::kLargest, Kind::kDrawn, Kind::kGumbel}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu(
            [&](const Backend& on, DType dtype) {
              const std::int64_t n = sizes.n(), w = sizes.longest() + 3, m = sizes.memory_rows(), d_v = sizes.d_v;
              const MemoryRows memory = sizes.memory(on);
              const DType precise = accumulation_dtype(dtype);
              const Array V = sizes.array(on, m, d_v, dtype, 1), dO = sizes.array(on, n, d_v, dtype, 2),
                          weights = some_weights(on, sizes, w, dtype, 3);
              KeyChoice choice{.kind = kind,
                               .key = philox_key(7, 1),
                               .update = 3,
                               .soft_share = 1.0 / 3,
                               .temperature = 0.7,
                               .sentence = {},
                               .position = {}};
              Doubles numbers;
              for (std::int64_t r = 0; r < n; ++r) numbers.push_back(static_cast<double>(r + 2));
              choice.sentence = choice.position = make_array(on, {n}, DType::kInt32, numbers);
              Array chosen = on.empty({n}, DType::kInt32), O = sizes.array(on, n, d_v, dtype, 4);
              Array relaxed = kind == Kind::kGumbel ? on.empty({n, w}, precise) : Array();
              on.choose_keys(weights, memory, choice, chosen, relaxed);
              on.chosen_mix(weights, chosen, V, memory, O);
              const Array d_weights = some_weights(on, sizes, w, dtype, 5), dV = sizes.array(on, m, d_v, dtype, 6);
              const HardCredit credit{.credit = make_array(on, {n}, precise, random_values(n, 8)), .entropy = 0.5};
              on.chosen_mix_backward(dO, weights, chosen, relaxed, choice.temperature, credit, V, memory,
                                     {d_weights, write}, {dV, write});
              std::vector<Array> outputs{chosen, O, d_weights, dV};
              if (relaxed) outputs.push_back(relaxed);
              return outputs;
            },
            4);
      }
    }
  }
}

TEST_P(CudaMemoryAttention, SumsHaveTheSameBitsEveryTime) {
  const Sizes sizes{std::vector<int>(300, 9), 512, 512, true};
  const auto run = [&] {
    const std::int64_t n = sizes.n(), m = sizes.memory_rows();
    const MemoryRows memory = sizes.memory(*gpu);
    const Array q = sizes.array(*gpu, n, 512, dtype(), 1), K = sizes.array(*gpu, m, 512, dtype(), 2),
                v = make_array(*gpu, {512}, dtype(), random_values(512, 3)), dv = gpu->empty_like(v),
                dK = gpu->empty_like(K);
    Array weights = gpu->empty({n, 9}, DType::kFloat32);
    gpu->memory_weights(q, K, v, 1, memory, weights);
    gpu->memory_weights_backward(some_weights(*gpu, sizes, 9, dtype(), 4), weights, q, K, v, 1, memory, {},
                                 Sink::overwrite(dK), Sink::overwrite(dv));
    Doubles all = values_of(*gpu, dv);
    const Doubles keys = values_of(*gpu, dK.row_range(0, 50));
    all.insert(all.end(), keys.begin(), keys.end());
    return all;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace dragoman::cuda
