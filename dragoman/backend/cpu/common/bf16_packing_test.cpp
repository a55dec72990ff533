// Packing is part of the bodies, which show nothing of themselves; so this test compiles it as a body of its own.
#define DRAGOMAN_CPU_BODY bf16_packing_test
#include "dragoman/backend/cpu/products/bf16_packing.h"

#include <gtest/gtest.h>

#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::cpu::bf16_packing_test {
namespace {

// A matrix of `count` lines of K elements, in memory along or across.
struct Matrix {
  Matrix(std::int64_t count, std::int64_t K, bool across) : values(static_cast<std::size_t>(count * K)) {
    RandomStream random(1);
    for (float& value : values) value = static_cast<float>(random.uniform(-1, 1));
    lines = {values.data(), across ? count : K, across};
  }
  std::uint16_t at(std::int64_t line, std::int64_t k) const { return bf16_bits(*lines.from(line, k).data); }

  std::vector<float> values;
  Bf16Lines lines;
};

constexpr std::uint16_t kUntouched = 0x1234;

template <PanelLayout Layout>
void expect_packed(bool across) {
  for (const std::int64_t K : {1, 2, 31, 32, 33, 64, 65, 128, 200}) {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{5}, Layout.rows - 1, Layout.rows}) {
      const Matrix rows(count, K, across);
      const std::int64_t depth = Layout.depth(K), height = Layout.height(count);
      std::vector<std::uint16_t> panel(static_cast<std::size_t>(depth * height), kUntouched);
      pack_bf16_rows<Layout>(rows.lines, count, K, panel.data());
      for (std::int64_t i = 0; i < height; ++i) {
        for (std::int64_t k = 0; k < depth; ++k) {
          ASSERT_EQ(panel[static_cast<std::size_t>(Layout.in_rows(depth, height, i, k))],
                    i < count && k < K ? rows.at(i, k) : 0)
              << "row " << i << ", k " << k << " of " << count << " x " << K;
        }
      }
    }
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{5}, Layout.cols}) {
      const Matrix columns(count, K, across);
      const std::int64_t depth = Layout.depth(K);
      std::vector<std::uint16_t> panel(static_cast<std::size_t>(depth * Layout.cols), kUntouched);
      pack_bf16_columns<Layout>(columns.lines, count, K, panel.data());
      for (std::int64_t c = 0; c < count; ++c) {
        for (std::int64_t k = 0; k < depth; ++k) {
          ASSERT_EQ(panel[static_cast<std::size_t>(Layout.in_columns(k, c))], k < K ? columns.at(c, k) : 0)
              << "column " << c << ", k " << k << " of " << count << " x " << K;
        }
      }
    }
  }
}

TEST(Bf16Packing, PutsEachNumberInItsPlaceAndZerosAfterTheLast) {
  if (kVectorBytes == 64 && bf16_kernel() == nullptr) {
    GTEST_SKIP() << "with vectors of 64 bytes, packing uses instructions of processors with AMX";
  }
  for (const bool across : {false, true}) {
    expect_packed<kBf16OnX86>(across);
    expect_packed<kBf16OnArm>(across);
  }
}

}  // namespace
}  // namespace dragoman::cpu::bf16_packing_test
