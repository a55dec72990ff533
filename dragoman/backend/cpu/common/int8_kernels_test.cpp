#include "dragoman/backend/cpu/common/int8_kernels.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dragoman::cpu
