#include "dragoman/backend/cpu/common/int8_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::cpu {
namespace {

std::vector<std::int8_t> random_bytes(std::int64_t count, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
  for (std::int8_t& byte : bytes) byte = static_cast<std::int8_t>(static_cast<int>(random.below(255)) - 127);
  return bytes;
}

// A panel of `height` random rows and a panel of random columns.
struct Operands {
  Operands(std::int64_t depth, std::int64_t height)
      : panel_depth(depth),
        panel_height(height),
        rows(random_bytes(depth * height, 1)),
        columns(random_bytes(depth * kInt8.cols, 2)) {}

  // The product, computed by one of the kernels.
  std::vector<std::int32_t> multiplied_by(const Int8Kernel& kernel) const {
    std::vector<std::int32_t> row_sums(static_cast<std::size_t>(panel_height), 0);
    for (std::int64_t i = 0; i < panel_height; ++i) {
      for (std::int64_t k = 0; k < panel_depth; ++k) {
        row_sums[static_cast<std::size_t>(i)] +=
            rows[static_cast<std::size_t>(kInt8.in_rows(panel_depth, panel_height, i, k))];
      }
    }
    std::vector<std::int32_t> products(static_cast<std::size_t>(panel_height * kInt8.cols));
    kernel.multiply({panel_depth, panel_height, rows.data(), row_sums.data()}, columns.data(), products.data());
    return products;
  }

  std::int64_t panel_depth, panel_height;
  std::vector<std::int8_t> rows, columns;
};

// The heights that a panel may have, on any machine.
std::vector<std::int64_t> heights() {
  std::vector<std::int64_t> all;
  const std::int64_t step = kInt8.in_pairs ? 2 : 1;
  for (std::int64_t height = step; height <= kInt8.rows; height += step) all.push_back(height);
  return all;
}

TEST(Int8Kernel, AllKernelsOfThisMachineGiveEqualSums) {
  for (const std::int64_t K : {0, 1, 64, 65, 512, 2050}) {
    for (const std::int64_t height : heights()) {
      const Operands operands(kInt8.depth(K), height);
      const std::vector<std::int32_t> expected = operands.multiplied_by(int8_kernels().back());
      for (const Int8Kernel& kernel : int8_kernels()) {
        if (kernel.why_not() != nullptr) continue;
        EXPECT_EQ(operands.multiplied_by(kernel), expected) << kernel.name << ", " << height << " rows, K = " << K;
      }
    }
  }
}

TEST(Int8Kernel, PortableSumsAreThoseOfTheDefinition) {
  const std::int64_t depth = kInt8.depth(9), height = 2;
  const Operands operands(depth, height);
  std::vector<std::int32_t> expected(static_cast<std::size_t>(height * kInt8.cols), 0);
  for (std::int64_t i = 0; i < height; ++i) {
    for (std::int64_t c = 0; c < kInt8.cols; ++c) {
      for (std::int64_t k = 0; k < depth; ++k) {
        expected[static_cast<std::size_t>(i * kInt8.cols + c)] +=
            operands.rows[static_cast<std::size_t>(kInt8.in_rows(depth, height, i, k))] *
            operands.columns[static_cast<std::size_t>(kInt8.in_columns(k, c))];
      }
    }
  }
  EXPECT_EQ(operands.multiplied_by(int8_kernels().back()), expected);
}

TEST(Int8Kernel, TheLargestNumbersDoNotOverflow) {
  for (const int most : {127, -127}) {
    Operands operands(kInt8MaxDepth, 2);
    std::ranges::fill(operands.rows, static_cast<std::int8_t>(127));
    std::ranges::fill(operands.columns, static_cast<std::int8_t>(most));
    for (const Int8Kernel& kernel : int8_kernels()) {
      if (kernel.why_not() != nullptr) continue;
      const std::vector<std::int32_t> expected(static_cast<std::size_t>(2 * kInt8.cols),
                                               static_cast<std::int32_t>(127 * most * kInt8MaxDepth));
      EXPECT_EQ(operands.multiplied_by(kernel), expected) << kernel.name;
    }
  }
}

}  // namespace
}  // namespace dragoman::cpu
