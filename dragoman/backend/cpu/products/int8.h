// Products of 8-bit integers. The columns of W are rounded once, when the model is loaded; the rows of x are rounded
// for each product. An Int8Kernel multiplies the panels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dragoman/backend/cpu/common/int8_kernels.h"
#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/packed.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// Rows of x, rounded and packed into panels (panel_layout.h). If rows come in pairs and their number is odd, the last
// panel has a row of zeros more.
struct Int8Rows {
  const Int8Kernel& kernel;  // multiplies them
  std::int64_t rows, depth;  // depth = kInt8.depth(K)
  std::int8_t* panels;       // kInt8.rows * depth bytes each
  float* scales;             // one for each row
  std::int32_t* sums;        // the sum of the integers of each row

  // Rows of a panel, the row of zeros included.
  std::int64_t height(std::int64_t panel) const {
    return kInt8.height(std::min(rows - panel * kInt8.rows, kInt8.rows));
  }
  std::int8_t* panel(std::int64_t i) const { return panels + i * kInt8.rows * depth; }
};

// Rounds and packs row r of x, or writes a row of zeros if r is x.rows.
void quantise_row(Matrix<const float> x, std::int64_t r, const Int8Rows& to);

// y = float(sum) * (scale of the row * scale of the column) + b, then ReLU if `relu`. y and b start at the first column
// of panel `panel` of W; y may span several panels. b may be null.
void multiply_int8(const Int8Rows& x, const PackedMatrix& W, std::int64_t panel, const float* b, bool relu,
                   Matrix<float> y);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
