#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "dragoman/backend/packed_testing.h"

namespace dragoman {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class BestWordsKernel : public PackedTest {
 protected:
  BestWords outputs(std::int64_t R, std::int64_t k, std::int64_t V = 0) const {
    return {zeros_of<std::int32_t>({R, k}), zeros({R, k}), zeros({R}), V > 0 ? zeros({R, V}) : Array()};
  }
  template <class T>
  Array zeros_of(const Shape& shape) const {
    return make_array(*on, shape, kDTypeOf<T>, Doubles(static_cast<std::size_t>(shape.count()), 0.0));
  }
  // Compares with a full sort of the logits.
  void expect_sorted(const BestWords& best) const {
    const Doubles all = values(best.all), ids = values(best.ids), logits = values(best.logits);
    const auto V = static_cast<std::size_t>(best.all.cols()), k = static_cast<std::size_t>(best.ids.cols());
    for (std::size_t r = 0; r < static_cast<std::size_t>(best.all.rows()); ++r) {
      const double* row = all.data() + r * V;
      std::vector<std::size_t> order(V);
      std::iota(order.begin(), order.end(), std::size_t{0});
      // PAD and BOS (0 and 1) are never among the best.
      std::erase_if(order, [&](std::size_t v) { return v < 2 || !(row[v] > -kInfinity); });
      std::ranges::stable_sort(order, [&](std::size_t a, std::size_t c) { return row[a] > row[c]; });
      for (std::size_t i = 0; i < k; ++i) {
        EXPECT_EQ(ids[r * k + i], i < order.size() ? static_cast<double>(order[i]) : kNoWord) << "place " << i;
        EXPECT_EQ(logits[r * k + i], i < order.size() ? row[order[i]] : -kInfinity) << "place " << i;
      }
    }
  }
  Doubles log_sums(const Array& logits) const {
    Doubles sums;
    for (std::int64_t r = 0; r < logits.rows(); ++r) {
      double sum = 0;
      for (const double x : values(logits.row_range(r, 1))) sum += std::exp(x);
      sums.push_back(std::log(sum));
    }
    return sums;
  }
  void expect_equal(const BestWords& a, const BestWords& b) const {
    EXPECT_EQ(values(a.ids), values(b.ids));
    EXPECT_EQ(values(a.logits), values(b.logits));
    EXPECT_EQ(values(a.log_sums), values(b.log_sums));
  }
  // The best of words with these logits.
  BestWords best_of(const Doubles& logits, std::int64_t k) const {
    const auto V = static_cast<std::int64_t>(logits.size());
    const BestWords best = outputs(1, k, V);
    on->best_words(array({1, 1}, {1}), array({V, 1}, logits), {}, best);
    return best;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, BestWordsKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

TEST_P(BestWordsKernel, AreTheFirstOfASortOfTheLogits) {
  for (const std::int64_t V : {1, 5, 190, 1000}) {
    for (const std::int64_t k : {1, 8, 300}) {
      for (const std::int64_t R : {1, 4, 131}) {
        const Array Y = random_view({R, 20}, 1), E = random({V, 20}, 2), b = random({V}, 3);
        const BestWords best = outputs(R, k, V);
        on->best_words(Y, E, b, best);
        Array logits = zeros({R, V});
        on->matmul(Y, Transpose::kNo, E, Transpose::kYes, Sink::overwrite(logits));
        on->add_bias(logits, b, logits);
        EXPECT_EQ(values(best.all), values(logits));
        expect_sorted(best);
        expect_values(best.log_sums, log_sums(logits));
      }
    }
  }
}

TEST_P(BestWordsKernel, AskingForAllLogitsChangesNothing) {
  const Array Y = random({9, 30}, 1), E = random({700, 30}, 2);
  const BestWords with_all = outputs(9, 5, 700), without_all = outputs(9, 5);
  on->best_words(Y, E, {}, with_all);
  on->best_words(Y, E, {}, without_all);
  expect_equal(with_all, without_all);
}

TEST_P(BestWordsKernel, GivesTheLogitOfAnyWordThatIsAskedFor) {
  for (const std::int64_t V : {5, 1000}) {
    const std::int64_t R = 131;  // more rows than are scored together on the CPU
    const Array Y = random({R, 30}, 1), E = random({V, 30}, 2), b = random({V}, 3);
    const BestWords plain = outputs(R, 3, V);
    BestWords best = outputs(R, 3);
    Doubles asked, expected;
    on->best_words(Y, E, b, plain);
    const Doubles all = values(plain.all);
    for (std::int64_t r = 0; r < R; ++r) {
      const std::int64_t word = r % 4 == 3 ? kNoWord : r * 37 % V;
      asked.push_back(static_cast<double>(word));
      expected.push_back(word == kNoWord ? -kInfinity : all[static_cast<std::size_t>(r * V + word)]);
    }
    best.asked = make_array(*on, {R}, DType::kInt32, asked);
    best.asked_logits = zeros({R});
    on->best_words(Y, E, b, best);
    EXPECT_EQ(values(best.asked_logits), expected);
    expect_equal(best, plain);
  }
}

TEST_P(BestWordsKernel, TiesGoToTheLowerId) {
  Doubles logits(800, 1.0);
  logits[700] = 2.0;
  EXPECT_EQ(values(best_of(logits, 4).ids), (Doubles{700, 2, 3, 4}));
}

TEST_P(BestWordsKernel, ReservedIdsCountInTheLogSumButAreNeverAmongTheBest) {
  const BestWords best = best_of({50, 50, 1, 2, 3}, 4);
  EXPECT_EQ(values(best.ids), (Doubles{4, 3, 2, kNoWord}));
  EXPECT_EQ(values(best.logits), (Doubles{3, 2, 1, -kInfinity}));
  expect_values(best.log_sums, {50 + std::log(2.0)});
}

TEST_P(BestWordsKernel, NaNIsNeverAmongTheBestAndMakesTheLogSumNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const BestWords best = best_of({0, 0, 5, nan, 7, nan, -kInfinity}, 3);
  EXPECT_EQ(values(best.ids), (Doubles{4, 2, kNoWord}));
  EXPECT_TRUE(std::isnan(values(best.log_sums)[0]));
  EXPECT_EQ(values(best_of(Doubles(5, -kInfinity), 1).log_sums), Doubles{-kInfinity});
}

TEST_P(BestWordsKernel, ARowHasTheSameBitsInAnyBatchAndWithAnyThreads) {
  if (on_cuda()) GTEST_SKIP() << "cuBLASLt chooses its algorithm by the number of rows";
  const std::int64_t R = 140, V = 1234, d = 40, k = 6;
  const Doubles y = random_values(R * d, 1), e = random_values(V * d, 2), bias = random_values(V, 3);
  Doubles expected;
  for (const int threads : {1, 2, 3}) {
    on = GetParam().backend(threads);
    const Array Y = array({R, d}, y), E = array({V, d}, e), b = array({V}, bias);
    const BestWords best = outputs(R, k);
    on->best_words(Y, E, b, best);
    Doubles now = values(best.log_sums), logits = values(best.logits);
    now.insert(now.end(), logits.begin(), logits.end());
    if (expected.empty()) expected = now;
    EXPECT_EQ(now, expected);
    for (const std::int64_t r : {0, 77, 139}) {
      const BestWords alone = outputs(1, k);
      on->best_words(Y.row_range(r, 1), E, b, alone);
      expect_equal(alone, {best.ids.row_range(r, 1), best.logits.row_range(r, 1), best.log_sums.columns(r, 1)});
    }
  }
}

TEST_P(BestWordsKernel, PackedWeightsGiveTheSameBits) {
  if (dtype() != DType::kFloat32) GTEST_SKIP() << "packed weights are float32 only";
  for (const std::int64_t V : {3, 192, 1001}) {
    const Array Y = random({5, 33}, 1), E = random({V, 33}, 2), b = random({V}, 3);
    const BestWords plain = outputs(5, 7, V), packed = outputs(5, 7, V);
    on->best_words(Y, E, b, plain);
    on->best_words(Y, pack(E, WeightForm::kFloat32, Transpose::kYes), b, packed);
    expect_equal(plain, packed);
    EXPECT_EQ(values(plain.all), values(packed.all));
  }
}

TEST_P(BestWordsKernel, LogitsOfRoundedWeightsAreThoseOfTheirProduct) {
  if (on_cuda()) GTEST_SKIP() << "packed weights are for the CPU only";
  if (dtype() != DType::kFloat32) GTEST_SKIP() << "packed weights are float32 only";
  const std::int64_t R = 11, V = 1001;
  const Array Y = random({R, 33}, 1), E = random({V, 33}, 2), b = random({V}, 3);
  for (const WeightForm form : forms()) {
    const PackedMatrix packed = pack(E, form, Transpose::kYes);
    const BestWords best = outputs(R, 9, V), alone = outputs(1, 9);
    on->best_words(Y, packed, b, best);
    Array logits = zeros({R, V});
    on->linear(Y, packed, b, {}, logits);
    EXPECT_EQ(values(best.all), values(logits));
    expect_sorted(best);
    expect_values(best.log_sums, log_sums(logits));
    on->best_words(Y.row_range(4, 1), packed, b, alone);
    expect_equal(alone, {best.ids.row_range(4, 1), best.logits.row_range(4, 1), best.log_sums.columns(4, 1)});
  }
}

}  // namespace
}  // namespace dragoman
