// Products on the CPU whose operands are rounded to bfloat16 (BackendOptions::bf16_products).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/backend/testing.h"
#include "dragoman/base/error.h"

namespace dragoman {
namespace {

class Bf16Products : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_bf16_products(); !reason.empty()) GTEST_SKIP() << reason;
    on = backend(2);
  }
  static std::unique_ptr<Backend> backend(int threads) {
    return make_backend(Device{}, {.threads = threads, .bf16_products = true});
  }
  Array array(const Shape& shape, const Doubles& values) const {
    return make_array(*on, shape, DType::kFloat32, values);
  }
  Doubles product(const Array& A, bool tA, const Array& B, bool tB) const {
    Array C = on->empty({tA ? A.cols() : A.rows(), tB ? B.rows() : B.cols()}, DType::kFloat32);
    on->matmul(A, tA ? Transpose::kYes : Transpose::kNo, B, tB ? Transpose::kYes : Transpose::kNo, Sink::overwrite(C));
    return values_of(*on, C);
  }

  std::unique_ptr<Backend> on;
};

struct Sizes {
  std::int64_t M, N, K;
};
// Sizes around the edges of tiles, panels, blocks of rows and ranges of k; no k to sum over; no rows or columns;
// operands that are packed in parts.
const std::vector<Sizes> kSizes = {{1, 1, 1},    {3, 5, 7},     {8, 12, 16},     {16, 32, 32},   {17, 33, 31},
                                   {33, 49, 50}, {130, 97, 20}, {5, 3, 0},       {0, 4, 3},      {4, 0, 3},
                                   {1, 100, 40}, {19, 16, 515}, {131, 70, 1030}, {1, 7000, 310}, {1, 40, 60000}};

TEST_F(Bf16Products, AreNearTheExactProductOfTheRoundedNumbers) {
  for (const Sizes& s : kSizes) {
    const Doubles a = random_values(s.M * s.K, 1), b = random_values(s.K * s.N, 2);
    Doubles expected(static_cast<std::size_t>(s.M * s.N), 0.0), a_turned(a), b_turned(b);
    for (std::int64_t i = 0; i < s.M; ++i) {
      for (std::int64_t k = 0; k < s.K; ++k) {
        a_turned[k * s.M + i] = a[i * s.K + k];
        for (std::int64_t j = 0; j < s.N; ++j) {
          b_turned[j * s.K + k] = b[k * s.N + j];
          expected[i * s.N + j] += a[i * s.K + k] * b[k * s.N + j];
        }
      }
    }
    for (const bool tA : {false, true}) {
      for (const bool tB : {false, true}) {
        const Array A = tA ? array({s.K, s.M}, a_turned) : array({s.M, s.K}, a);
        const Array B = tB ? array({s.N, s.K}, b_turned) : array({s.K, s.N}, b);
        expect_near(product(A, tA, B, tB), expected, 2e-5 * (1 + static_cast<double>(s.K) / 50));
      }
    }
  }
}

TEST_F(Bf16Products, AddToWhatIsThere) {
  const Array A = array({9, 40}, random_values(360, 1)), B = array({40, 35}, random_values(1400, 2));
  Array C = array({9, 35}, Doubles(315, 1.0));
  on->matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::accumulate(C));
  Doubles expected = product(A, false, B, false);
  for (double& value : expected) value += 1;
  expect_near(values_of(*on, C), expected, 1e-5);
}

TEST_F(Bf16Products, RoundTheirOperandsToNearest) {
  const Doubles a = unrounded_values(50 * 70, 1), b = unrounded_values(70 * 40, 2);
  const auto rounded = [](Doubles values) {
    for (double& value : values) value = static_cast<double>(BFloat16(static_cast<double>(static_cast<float>(value))));
    return values;
  };
  EXPECT_EQ(product(array({50, 70}, a), false, array({70, 40}, b), false),
            product(array({50, 70}, rounded(a)), false, array({70, 40}, rounded(b)), false));
}

TEST_F(Bf16Products, ARowHasTheSameBitsInAnyBatchAndWithAnyThreads) {
  const Sizes s{150, 130, 600};
  const Doubles a = unrounded_values(s.M * s.K, 1), b = unrounded_values(s.K * s.N, 2);
  Doubles expected;
  for (const int threads : {1, 2, 5}) {
    on = backend(threads);
    const Array A = array({s.M, s.K}, a), B = array({s.K, s.N}, b);
    const Doubles all = product(A, false, B, false);
    if (expected.empty()) expected = all;
    EXPECT_EQ(all, expected);
    for (const auto& [first, count] : std::vector<std::pair<int, int>>{{0, 1}, {7, 2}, {3, 5}, {100, 50}, {149, 1}}) {
      const Doubles some(expected.begin() + first * s.N, expected.begin() + (first + count) * s.N);
      EXPECT_EQ(product(A.row_range(first, count), false, B, false), some);
    }
  }
}

// The product is so long that one thread packs fewer values of k at a time than five.
TEST_F(Bf16Products, HaveTheSameBitsHoweverManyValuesOfKArePackedAtATime) {
  const Sizes s{20, 600, 2200};
  const Doubles a = unrounded_values(s.M * s.K, 1), b = unrounded_values(s.K * s.N, 2);
  const auto with_threads = [&](int threads) {
    on = backend(threads);
    return product(array({s.M, s.K}, a), false, array({s.K, s.N}, b), false);
  };
  EXPECT_EQ(with_threads(1), with_threads(5));
}

TEST_F(Bf16Products, WithPackedWeightsHaveTheSameBits) {
  for (const Sizes& s : kSizes) {
    const Array x = array({s.M, s.K}, unrounded_values(s.M * s.K, 1)),
                W = array({s.K, s.N}, unrounded_values(s.K * s.N, 2)), b = array({s.N}, unrounded_values(s.N, 3));
    const auto bytes = static_cast<std::int64_t>(on->packed_bytes(WeightForm::kBFloat16, s.K, s.N));
    const PackedMatrix packed = on->packed_in(on->empty({bytes}, DType::kInt8).raw(), WeightForm::kBFloat16, s.K, s.N);
    on->pack(W, Transpose::kNo, {}, 0, packed);
    const Activation relu{.relu = true, .dropout = {}, .segments = {}};
    Array plain = on->empty({s.M, s.N}, DType::kFloat32), y = on->empty_like(plain);
    on->linear(x, W, b, relu, plain);
    on->linear(x, packed, b, relu, y);
    EXPECT_EQ(values_of(*on, y), values_of(*on, plain)) << s.M << " x " << s.N << " x " << s.K;
  }
}

TEST_F(Bf16Products, ANumberThatIsNotFiniteStaysInItsRow) {
  Doubles a = random_values(6 * 20, 1);
  a[20] = std::numeric_limits<double>::quiet_NaN();
  a[40] = std::numeric_limits<double>::infinity();
  const Doubles C = product(array({6, 20}, a), false, array({20, 3}, Doubles(60, 1.0)), false);
  for (std::size_t i = 0; i < C.size(); ++i) {
    EXPECT_EQ(std::isnan(C[i]), i / 3 == 1);
    EXPECT_EQ(std::isinf(C[i]), i / 3 == 2);
  }
}

TEST(Bf16ProductsOfThisMachine, AreRefusedWithAReasonIfItHasNone) {
  const std::string reason = why_no_bf16_products();
  if (reason.empty()) {
    EXPECT_NO_THROW(make_backend(Device{}, {.bf16_products = true}));
    return;
  }
  try {
    make_backend(Device{}, {.bf16_products = true});
    FAIL() << "was not refused";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dragoman
