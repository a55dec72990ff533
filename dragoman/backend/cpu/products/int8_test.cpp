#include "dragoman/backend/cpu/products/int8.h"

#include <gtest/gtest.h>

#include <vector>

#include "dragoman/backend/quantise.h"
#include "dragoman/backend/testing.h"

namespace dragoman::cpu {
namespace {

std::vector<std::int8_t> random_bytes(std::int64_t count, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
  for (std::int8_t& byte : bytes) byte = static_cast<std::int8_t>(static_cast<int>(random.below(255)) - 127);
  return bytes;
}

// The product of a panel of rows by a panel of columns, computed by one of the kernels.
std::vector<std::int32_t> multiply(const Int8Kernel& kernel, std::int64_t height, const std::vector<std::int8_t>& rows,
                                   const std::vector<std::int8_t>& columns) {
  const auto groups = static_cast<std::int64_t>(columns.size()) / (kInt8Cols * kInt8Group);
  std::vector<std::int32_t> row_sums(static_cast<std::size_t>(height), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) row_sums[i / kInt8Group % row_sums.size()] += rows[i];
  std::vector<std::int32_t> sums(static_cast<std::size_t>(height * kInt8Cols));
  kernel.multiply(groups, height, rows.data(), row_sums.data(), columns.data(), sums.data());
  return sums;
}

TEST(Int8Kernel, AllKernelsOfThisMachineGiveEqualSums) {
  for (const Int8Kernel& kernel : int8_kernels()) {
    if (!kernel.runs_here()) continue;
    for (const std::int64_t height : {2, 4, 6, 8}) {
      for (const std::int64_t groups : {0, 1, 2, 3, 64, 257}) {
        const auto rows = random_bytes(height * groups * kInt8Group, 1);
        const auto columns = random_bytes(kInt8Cols * groups * kInt8Group, 2);
        EXPECT_EQ(multiply(kernel, height, rows, columns), multiply(int8_kernels().back(), height, rows, columns))
            << kernel.name << ", " << height << " rows, " << groups << " groups";
      }
    }
  }
}

TEST(Int8Kernel, TheLargestNumbersDoNotOverflow) {
  const std::int64_t groups = kInt8MaxDepth / kInt8Group;
  const std::vector<std::int8_t> rows(static_cast<std::size_t>(2 * kInt8MaxDepth), 127);
  for (const int most : {127, -127}) {
    const std::vector<std::int8_t> columns(static_cast<std::size_t>(groups * kInt8Group * kInt8Cols),
                                           static_cast<std::int8_t>(most));
    for (const Int8Kernel& kernel : int8_kernels()) {
      if (!kernel.runs_here()) continue;
      const std::vector<std::int32_t> expected(2 * kInt8Cols, static_cast<std::int32_t>(127 * most * kInt8MaxDepth));
      EXPECT_EQ(multiply(kernel, 2, rows, columns), expected) << kernel.name;
    }
  }
}

TEST(Quantiser, RoundsToTheNearestAndHalvesToTheEven) {
  const Quantiser whole = Quantiser::for_largest(127);
  EXPECT_EQ(whole.scale, 1);
  const std::vector<std::pair<float, int>> cases{{0.5f, 0},   {1.5f, 2},     {2.5f, 2},    {-0.5f, 0},
                                                 {-1.5f, -2}, {126.6f, 127}, {-127, -127}, {0, 0}};
  for (const auto& [x, q] : cases) EXPECT_EQ(whole(x), q) << x;
}

TEST(Quantiser, NumbersComeBackWithinHalfAStep) {
  for (const float largest : {1e-20f, 0.3f, 7.0f, 3e38f}) {
    const Quantiser quantiser = Quantiser::for_largest(largest);
    EXPECT_EQ(quantiser(largest), 127);
    EXPECT_EQ(quantiser(-largest), -127);
    for (int i = -100; i <= 100; ++i) {
      const float x = largest * (static_cast<float>(i) / 100);
      EXPECT_NEAR(static_cast<float>(quantiser(x)) * quantiser.scale / largest, x / largest, 0.501 / 127);
    }
  }
}

TEST(Quantiser, TinyNumbersBecomeZeroAndNonFiniteNumbersMakeTheScaleNaN) {
  EXPECT_EQ(Quantiser::for_largest(0).scale, 0);
  EXPECT_EQ(Quantiser::for_largest(1e-38f)(1e-38f), 0);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    LargestMagnitude largest;
    for (const float x : {1.0f, -bad, 3.0f}) largest.add(x);
    EXPECT_TRUE(std::isnan(Quantiser::for_largest(largest.value()).scale));
  }
}

TEST(QuantisedRows, EqualTheResultsOfRoundingEachNumberAlone) {
  for (const std::int64_t R : {1, 2, 7, 8, 9, 19}) {
    for (const std::int64_t K : {1, 8, 13, 70}) {
      const std::int64_t groups = divide_up(K, kInt8Group), padded = divide_up(R, kInt8Rows) * kInt8Rows;
      const Doubles values = unrounded_values(R * K, 1);
      const std::vector<float> x(values.begin(), values.end());
      std::vector<std::int8_t> panels(static_cast<std::size_t>(padded * groups * kInt8Group), 99);
      std::vector<float> scales(static_cast<std::size_t>(padded));
      std::vector<std::int32_t> sums(static_cast<std::size_t>(padded));
      const Int8Rows rows{R, groups, panels.data(), scales.data(), sums.data()};
      for (std::int64_t panel = 0; panel < padded / kInt8Rows; ++panel)
        quantise_panel({x.data(), R, K, K}, panel, rows);
      for (std::int64_t r = 0; r < R; ++r) {
        LargestMagnitude largest;
        for (std::int64_t k = 0; k < K; ++k) largest.add(x[r * K + k]);
        const Quantiser quantiser = Quantiser::for_largest(largest.value());
        EXPECT_EQ(scales[r], quantiser.scale);
        const std::int64_t panel = r / kInt8Rows, height = rows.height(panel);
        std::int32_t sum = 0;
        for (std::int64_t k = 0; k < groups * kInt8Group; ++k) {
          const std::int64_t place = (k / kInt8Group * height + r % kInt8Rows) * kInt8Group + k % kInt8Group;
          const int q = k < K ? quantiser(x[r * K + k]) : 0;
          EXPECT_EQ(rows.panel(panel)[place], q) << "row " << r << ", element " << k;
          sum += q;
        }
        EXPECT_EQ(sums[r], sum);
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::cpu
