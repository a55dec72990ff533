// Products of 8-bit integers: rows that are rounded when they come, by columns that were rounded long before. The sums
// are of 32 bits and exact, so that every body gives the same; the one that this machine runs fastest is chosen when
// the program runs.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/packed.h"

namespace dragoman::cpu {

// A panel holds eight k of one row or column after eight of the next: [k / 8, rows or columns, 8]. K is filled up with
// zeros.
inline constexpr std::int64_t kInt8Group = 8, kInt8Rows = 8;
#if defined(__x86_64__)
inline constexpr std::int64_t kInt8Cols = 16;
#else
inline constexpr std::int64_t kInt8Cols = 12;
#endif
// So that no sum overflows.
inline constexpr std::int64_t kInt8MostDepth = 1 << 17;

// Some rows, rounded. Panels hold kInt8Rows of them, the last one what is left, and a row of zeros if that is odd.
struct Int8Rows {
  std::int64_t rows, groups;
  std::int8_t* panels;  // kInt8Rows * groups * kInt8Group bytes each
  float* scales;        // one a row
  std::int32_t* sums;   // of a row's integers

  std::int64_t height(std::int64_t panel) const {
    const std::int64_t left = rows - panel * kInt8Rows;
    return left >= kInt8Rows ? kInt8Rows : (left + 1) / 2 * 2;
  }
  std::int8_t* panel(std::int64_t i) const { return panels + i * kInt8Rows * groups * kInt8Group; }
};

// Rounds the rows of x that make one panel.
void quantise_panel(Matrix<const float> x, std::int64_t panel, const Int8Rows& to);

// y = float(sum) * (scale of the row * scale of the column) + b, then ReLU, for the columns of W that begin with a
// panel's first, as many as y has. b may be nothing; else it begins with the same column.
void multiply_int8(const Int8Rows& x, const PackedMatrix& W, std::int64_t panel, const float* b, bool relu,
                   Matrix<float> y);

// sums [height, kInt8Cols] of a panel of rows, of an even height, by a panel of columns. row_sums has `height` entries.
struct Int8Body {
  const char* name;
  bool (*runs_here)();
  void (*multiply)(std::int64_t groups, std::int64_t height, const std::int8_t* rows, const std::int32_t* row_sums,
                   const std::int8_t* columns, std::int32_t* sums);
};

// Those of this build, the fastest first; the last one runs anywhere.
std::span<const Int8Body> int8_bodies();
// The first that runs here.
const Int8Body& int8_body();

}  // namespace dragoman::cpu
