// How the operands of a product of 8-bit integers or of bfloat16 lie in memory.
#pragma once

#include <cstdint>

namespace dragoman::cpu {

// K is padded with zeros to depth(K). The rows and columns of the operands are packed into panels:
//   a panel of columns is [depth / group, cols, group]: for each group of values of k, the elements of the first
//   column, then those of the next, and so on; a panel of rows is [height, depth] or, if rows are interleaved, [depth /
//   group, height, group], where height is the number of rows in the panel: `rows`, or fewer in the last panel (an even
//   number if rows are interleaved).
struct PanelLayout {
  std::int64_t rows, cols;      // of a panel
  std::int64_t group, padding;  // padding is a multiple of group
  bool interleaved;             // the rows

  constexpr std::int64_t depth(std::int64_t K) const { return (K + padding - 1) / padding * padding; }
  // The rows of a panel with `count` rows that exist.
  constexpr std::int64_t height(std::int64_t count) const { return interleaved ? (count + 1) / 2 * 2 : count; }
  // Where a panel of columns holds element k of column c.
  constexpr std::int64_t in_columns(std::int64_t k, std::int64_t c) const {
    return (k / group * cols + c) * group + k % group;
  }
  // Where a panel of rows holds element k of row i.
  constexpr std::int64_t in_rows(std::int64_t depth, std::int64_t height, std::int64_t i, std::int64_t k) const {
    return interleaved ? (k / group * height + i) * group + k % group : i * depth + k;
  }
};

// For instructions that multiply four bytes of a row by four bytes of each column in a vector, and for AMX, whose tiles
// have 16 rows of 64 bytes.
inline constexpr PanelLayout kInt8OnX86{.rows = 64, .cols = 32, .group = 4, .padding = 64, .interleaved = false};
// For instructions that multiply eight bytes of two rows by eight bytes of two columns.
inline constexpr PanelLayout kInt8OnArm{.rows = 8, .cols = 12, .group = 8, .padding = 8, .interleaved = true};
// The same instructions for bfloat16, which has two bytes.
inline constexpr PanelLayout kBf16OnX86{.rows = 128, .cols = 32, .group = 2, .padding = 32, .interleaved = false};
inline constexpr PanelLayout kBf16OnArm{.rows = 8, .cols = 12, .group = 4, .padding = 4, .interleaved = true};

#if defined(__x86_64__)
inline constexpr PanelLayout kInt8 = kInt8OnX86, kBf16 = kBf16OnX86;
#else
inline constexpr PanelLayout kInt8 = kInt8OnArm, kBf16 = kBf16OnArm;
#endif

// The largest K for which no 32-bit sum of 8-bit products overflows: 127 * 127 * 2^17 is just below 2^31.
inline constexpr std::int64_t kInt8MaxDepth = 1 << 17;

}  // namespace dragoman::cpu
