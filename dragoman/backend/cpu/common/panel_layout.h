// How the operands of a product of 8-bit integers or of bfloat16 lie in memory.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dragoman::cpu {

// K is padded with zeros to depth(K). The rows and columns of the operands are packed into panels:
//   a panel of columns is [depth / group, cols, group]: for each group of values of k, the elements of the first
//   column, then those of the next, and so on;
//   a panel of rows is a sequence of strips. A strip is `together` rows, [depth / row_group, together, row_group]: for
//   each group of values of k, the elements of the first row, then those of the next, and so on. With `together` = 1 a
//   panel is [rows, depth]. The last strip of the last panel may have fewer rows (an even number if rows come in
//   pairs).
struct PanelLayout {
  std::int64_t rows, cols;           // of a panel; rows is a multiple of together
  std::int64_t group, padding;       // padding is a multiple of group and of row_group
  std::int64_t together, row_group;  // of rows
  bool in_pairs;                     // the rows

  constexpr std::int64_t depth(std::int64_t K) const { return (K + padding - 1) / padding * padding; }
  // The rows of a panel or strip with `count` rows that exist.
  constexpr std::int64_t height(std::int64_t count) const { return in_pairs ? (count + 1) / 2 * 2 : count; }
  // Where a panel of columns holds element k of column c.
  constexpr std::int64_t in_columns(std::int64_t k, std::int64_t c) const {
    return (k / group * cols + c) * group + k % group;
  }
  // Where a panel of rows holds element k of row i.
  constexpr std::int64_t in_rows(std::int64_t depth, std::int64_t height, std::int64_t i, std::int64_t k) const {
    const std::int64_t top = i / together * together, strip = std::min(together, height - top);
    return top * depth + (k / row_group * strip + i - top) * row_group + k % row_group;
  }
};

// For instructions that multiply four bytes of a row by four bytes of each column in a vector, and for AMX, whose tiles
// have 16 rows of 64 bytes.
inline constexpr PanelLayout kInt8OnX86{
    .rows = 64, .cols = 32, .group = 4, .padding = 64, .together = 1, .row_group = 64, .in_pairs = false};
// For instructions that multiply eight bytes of two rows by eight bytes of two columns.
inline constexpr PanelLayout kInt8OnArm{
    .rows = 8, .cols = 12, .group = 8, .padding = 8, .together = 8, .row_group = 8, .in_pairs = true};
// The same instructions for bfloat16, which has two bytes. Only AMX multiplies it on x86-64, so what goes into its
// tiles is side by side.
inline constexpr PanelLayout kBf16OnX86{
    .rows = 384, .cols = 32, .group = 2, .padding = 32, .together = 16, .row_group = 32, .in_pairs = false};
inline constexpr PanelLayout kBf16OnArm{
    .rows = 8, .cols = 12, .group = 4, .padding = 4, .together = 8, .row_group = 4, .in_pairs = true};

#if defined(__x86_64__)
inline constexpr PanelLayout kInt8 = kInt8OnX86, kBf16 = kBf16OnX86;
#else
inline constexpr PanelLayout kInt8 = kInt8OnArm, kBf16 = kBf16OnArm;
#endif

// The largest K for which no 32-bit sum of 8-bit products overflows: 127 * 127 * 2^17 is just below 2^31.
inline constexpr std::int64_t kInt8MaxDepth = 1 << 17;

}  // namespace dragoman::cpu
