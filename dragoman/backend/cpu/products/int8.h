// Products of 8-bit integers. The columns of W are rounded once, when the model is loaded; the rows of x are rounded
// for each product. The innermost part, the product of two panels, has several implementations (Int8Kernel), each for
// one instruction set; the fastest that this machine supports is chosen when the program runs. The sums have 32 bits
// and are exact, so all of them give the same result.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/packed.h"

namespace dragoman::cpu {

// A panel of rows or columns is [K / kInt8Group, rows or columns, kInt8Group]: for each group of eight values of k, the
// eight elements of the first row or column, then those of the next. K is padded with zeros to a multiple of eight.
inline constexpr std::int64_t kInt8Group = 8, kInt8Rows = 8;
#if defined(__x86_64__)
inline constexpr std::int64_t kInt8Cols = 16;
#else
inline constexpr std::int64_t kInt8Cols = 12;
#endif
// The largest K for which no 32-bit sum overflows: 127 * 127 * 2^17 is just below 2^31.
inline constexpr std::int64_t kInt8MaxDepth = 1 << 17;

// Rows of x, rounded and packed into panels of kInt8Rows rows. The last panel holds the remaining rows, and a row of
// zeros if their number is odd.
struct Int8Rows {
  std::int64_t rows, groups;  // groups = K / kInt8Group, rounded up
  std::int8_t* panels;        // kInt8Rows * groups * kInt8Group bytes each
  float* scales;              // one for each row
  std::int32_t* sums;         // the sum of the integers of each row

  // Rows of a panel, the row of zeros included.
  std::int64_t height(std::int64_t panel) const {
    const std::int64_t left = rows - panel * kInt8Rows;
    return left >= kInt8Rows ? kInt8Rows : (left + 1) / 2 * 2;
  }
  std::int8_t* panel(std::int64_t i) const { return panels + i * kInt8Rows * groups * kInt8Group; }
};

// Rounds and packs the rows of x that belong to one panel.
void quantise_panel(Matrix<const float> x, std::int64_t panel, const Int8Rows& to);

// y = float(sum) * (scale of the row * scale of the column) + b, then ReLU if `relu`. y and b start at the first column
// of panel `panel` of W; y may span several panels. b may be null.
void multiply_int8(const Int8Rows& x, const PackedMatrix& W, std::int64_t panel, const float* b, bool relu,
                   Matrix<float> y);

// An implementation of the product of a panel of rows by a panel of columns: sums is [height, kInt8Cols], and height is
// even. row_sums holds the sum of the integers of each row; some instruction sets need it.
struct Int8Kernel {
  const char* name;
  bool (*runs_here)();  // whether this machine supports the instructions
  void (*multiply)(std::int64_t groups, std::int64_t height, const std::int8_t* rows, const std::int32_t* row_sums,
                   const std::int8_t* columns, std::int32_t* sums);
};

// The implementations in this build, the fastest first; the last one runs anywhere.
std::span<const Int8Kernel> int8_kernels();
// The first one that this machine supports.
const Int8Kernel& int8_kernel();

}  // namespace dragoman::cpu
