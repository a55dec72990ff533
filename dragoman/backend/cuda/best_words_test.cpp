#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The logits are products with one term, plus a bias, which every element type represents exactly. So all element types
// and devices must give the same ids.
class CudaBestWords : public CudaTest {
 protected:
  static BestWords outputs(const Backend& on, DType dtype, std::int64_t R, std::int64_t k, std::int64_t V) {
    const DType scores = accumulation_dtype(dtype);
    return {on.empty({R, k}, DType::kInt32), on.empty({R, k}, scores), on.empty({R}, scores),
            V > 0 ? on.empty({R, V}, scores) : Array()};
  }

  // Each row's logits are one of these multiples of E, plus b.
  static BestWords run(const Backend& on, DType dtype, std::int64_t R, const Doubles& E, const Doubles& b,
                       std::int64_t k, bool all) {
    const auto V = static_cast<std::int64_t>(E.size());
    const double multiples[] = {1, -1, 2, 0.5, -4};
    Doubles y;
    for (std::int64_t r = 0; r < R; ++r) y.push_back(multiples[r % 5]);
    const BestWords best = outputs(on, dtype, R, k, all ? V : 0);
    on.best_words(make_array(on, {R, 1}, dtype, y), make_array(on, {V, 1}, dtype, E),
                  b.empty() ? Array() : make_array(on, {V}, dtype, b), best);
    return best;
  }

  void expect_best(std::int64_t R, const Doubles& E, const Doubles& b, std::int64_t k, bool all = false) {
    SCOPED_TRACE(join(R, " rows of ", E.size(), " words, the best ", k));
    const BestWords expected = run(*cpu, DType::kFloat64, R, E, b, k, all), best = run(*gpu, dtype(), R, E, b, k, all);
    EXPECT_EQ(values_of(*gpu, best.ids), values_of(*cpu, expected.ids));
    EXPECT_EQ(values_of(*gpu, best.logits), values_of(*cpu, expected.logits));
    expect_close(values_of(*gpu, best.log_sums), values_of(*cpu, expected.log_sums), 1e-6);
    if (all) {
      EXPECT_EQ(values_of(*gpu, best.all), values_of(*cpu, expected.all));
    }
    cpu->arena().pop_to(0);
    gpu->arena().pop_to(0);
  }

  // Multiples of 1/8 from -15.25 to 16, in no order; many are equal.
  static Doubles eighths(std::int64_t V, std::int64_t step) {
    Doubles values;
    for (std::int64_t v = 0; v < V; ++v) values.push_back(static_cast<double>(v * step % 251 - 122) / 8);
    return values;
  }
};
INSTANTIATE_TEST_SUITE_P(Elements, CudaBestWords, kElements, element_name);

TEST_P(CudaBestWords, FindsAnyNumberOfBestWords) {
  for (const std::int64_t V : {1, 2, 3, 6, 190, 1003}) {
    for (const std::int64_t k : {1, 4, 16, 17, 64, 65, 130}) {
      expect_best(6, random_values(V, 1), {}, k, true);
      expect_best(6, eighths(V, 7919), eighths(V, 104729), k);
    }
  }
}

TEST_P(CudaBestWords, TakesALargeVocabulary) {
  for (const std::int64_t V : {37000, 65001}) {
    for (const std::int64_t k : {1, 4, 8, 16, 40, 64, 70}) expect_best(5, random_values(V, 2), {}, k);
    expect_best(5, eighths(V, 7919), eighths(V, 104729), 8, true);
  }
}

TEST_P(CudaBestWords, TakesManyRows) { expect_best(2051, random_values(1500, 3), {}, 8); }

TEST_P(CudaBestWords, EqualWordsAreRankedById) {
  for (const std::int64_t V : {900, 5000}) expect_best(3, Doubles(static_cast<std::size_t>(V), 1.5), {}, 8);
}

// All words that are better than the rest lie in the part of one thread.
TEST_P(CudaBestWords, FindsBestWordsThatAreNeighbours) {
  Doubles E(37000, 0.0);
  for (std::size_t v = 0; v < E.size(); ++v) E[v] = v / 4 % 512 == 7 ? 1 + static_cast<double>(v % 128) / 128 : -1;
  expect_best(5, E, {}, 8);
  expect_best(5, E, {}, 64);
  std::iota(E.begin(), E.begin() + 256, 0.0);
  expect_best(5, E, {}, 16);
}

TEST_P(CudaBestWords, NanAndMinusInfinityAreNeverAmongTheBest) {
  Doubles E(10000, -kInfinity);
  E[0] = E[1] = 20;
  E[700] = 1;
  E[9999] = 2;
  const BestWords best = run(*gpu, dtype(), 1, E, {}, 4, false);
  EXPECT_EQ(values_of(*gpu, best.ids), (Doubles{9999, 700, kNoWord, kNoWord}));
  EXPECT_EQ(values_of(*gpu, best.logits), (Doubles{2, 1, -kInfinity, -kInfinity}));
  EXPECT_NEAR(values_of(*gpu, best.log_sums)[0], 20 + std::log(2.0), 1e-5);
  E[5000] = std::nan("");
  const BestWords spoilt = run(*gpu, dtype(), 1, E, {}, 2, false);
  EXPECT_EQ(values_of(*gpu, spoilt.ids), (Doubles{9999, 700}));
  EXPECT_TRUE(std::isnan(values_of(*gpu, spoilt.log_sums)[0]));
  const BestWords none = run(*gpu, dtype(), 1, Doubles(5000, -kInfinity), {}, 3, false);
  EXPECT_EQ(values_of(*gpu, none.ids), (Doubles{kNoWord, kNoWord, kNoWord}));
  EXPECT_EQ(values_of(*gpu, none.log_sums), Doubles{-kInfinity});
}

// PAD and BOS are absent in many imported models; here the words after them are, too.
TEST_P(CudaBestWords, AbsentWordsAreNotInTheSum) {
  for (const std::size_t absent : {2, 70}) {
    Doubles b(1000, 0.0);
    std::fill_n(b.begin(), absent, -1e30);
    const BestWords best = run(*gpu, dtype(), 1, Doubles(1000, 1.0), b, 1, false);
    EXPECT_EQ(values_of(*gpu, best.ids), Doubles{static_cast<double>(absent)});
    EXPECT_NEAR(values_of(*gpu, best.log_sums)[0], 1 + std::log(1000.0 - static_cast<double>(absent)), 1e-5);
  }
}

TEST_P(CudaBestWords, PackedWeightsGiveTheSameWords) {
  const WeightForm form = rounded() ? WeightForm::kBFloat16 : WeightForm::kFloat32;
  const std::int64_t V = 1001, d = 24, R = 7;
  const Array E = make_array(*gpu, {V, d}, DType::kFloat32, random_values(V * d, 1));
  const Array plain = make_array(*gpu, {V, d}, dtype(), random_values(V * d, 1));
  const Array Y = make_array(*gpu, {R, d}, dtype(), random_values(R * d, 2));
  const auto bytes = static_cast<std::int64_t>(gpu->packed_bytes(form, d, V));
  const PackedMatrix packed = gpu->packed_in(gpu->empty({bytes}, DType::kInt8).raw(), form, d, V);
  gpu->pack(E, Transpose::kYes, {}, 0, packed);
  const BestWords a = outputs(*gpu, dtype(), R, 8, 0), b = outputs(*gpu, dtype(), R, 8, 0);
  gpu->best_words(Y, plain, {}, a);
  gpu->best_words(Y, packed, {}, b);
  EXPECT_EQ(values_of(*gpu, a.ids), values_of(*gpu, b.ids));
  EXPECT_EQ(values_of(*gpu, a.logits), values_of(*gpu, b.logits));
}

TEST_P(CudaBestWords, Int8WeightsAreRejected) { EXPECT_THROW(gpu->packed_bytes(WeightForm::kInt8, 8, 8), DeviceError); }

}  // namespace
}  // namespace dragoman::cuda
