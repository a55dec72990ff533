// Products of 8-bit integers. The columns of W are rounded once, when the model is loaded; the rows of x are rounded
// for each product. An Int8Kernel multiplies the panels.
#pragma once

#include <cstdint>

#include "dragoman/backend/cpu/common/int8_kernels.h"
#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/packed.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// Rows of x, rounded and packed into panels of kInt8Rows rows. The last panel holds the remaining rows, and a row of
// zeros if their number is odd.
struct Int8Rows {
  const Int8Kernel& kernel;   // multiplies them
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

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
