#include "dragoman/backend/cpu/products/bf16.h"

#include <algorithm>

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

void multiply_bf16(const Bf16Rows& A, const std::uint16_t* columns, std::int64_t apart, Matrix<float> C,
                   bool accumulate) {
  alignas(64) float edge[kBf16.together * kBf16.cols];
  for (std::int64_t left = 0; left < C.cols; left += kBf16.cols, columns += apart) {
    const std::int64_t cols = std::min(kBf16.cols, C.cols - left);
    const std::int64_t at_once = cols == kBf16.cols ? kBf16.rows : kBf16.together;
    for (std::int64_t top = 0; top < A.rows; top += at_once) {
      const std::int64_t rows = std::min(at_once, A.rows - top), height = kBf16.height(rows);
      const Bf16Panel panel{A.depth, height, A.panels + top * A.depth};
      if (cols == kBf16.cols && rows == height) {
        A.kernel.multiply(panel, columns, C.row(top) + left, C.stride, accumulate);
        continue;
      }
      // At the edges of C the sums are computed in a buffer, and only those that exist are copied.
      for (std::int64_t i = 0; i < rows && accumulate; ++i) {
        std::copy_n(C.row(top + i) + left, cols, edge + i * kBf16.cols);
      }
      A.kernel.multiply(panel, columns, edge, kBf16.cols, accumulate);
      for (std::int64_t i = 0; i < rows; ++i) std::copy_n(edge + i * kBf16.cols, cols, C.row(top + i) + left);
    }
  }
}

namespace {

// Packs some rows of op(A) and `length` values of k.
void pack_rows(const Product<float>& p, std::int64_t top, std::int64_t rows, std::int64_t k, std::int64_t length,
               std::uint16_t* packed) {
  const Bf16Lines lines{p.A.data, p.A.stride, p.transposed_A};
  for (std::int64_t i = 0; i < rows; i += kBf16.rows) {
    pack_bf16_rows<kBf16>(lines.from(top + i, k), std::min(kBf16.rows, rows - i), length,
                          packed + i * kBf16.depth(length));
  }
}

}  // namespace

// Where pieces and blocks begin must be the first row of a strip. Only a panel that is a single strip may have an odd
// number of rows that come in pairs, because the edges of C are computed strip by strip.
static_assert(kPackRows % kBf16.together == 0 && Bf16Operands::kUnit % kBf16.together == 0);
static_assert(!kBf16.in_pairs || kBf16.rows == kBf16.together);
static_assert(kBlockRows % Bf16Operands::kUnit == 0);
static_assert(Bf16Operands::kRange % kBf16.padding == 0 && kPackDepth % kBf16.padding == 0);

void Bf16Operands::pack_A(const Product<float>& p, std::int64_t piece, std::uint16_t* packed) const {
  const std::int64_t ranges = divide_up(p.K, kRange), k = piece % ranges * kRange, length = std::min(kRange, p.K - k);
  const std::int64_t top = piece / ranges * kPackRows, all_rows = size_of_A(p) / kBf16.depth(p.K);
  pack_rows(p, top, std::min(kPackRows, p.M - top), k, length, packed + k * all_rows + top * kBf16.depth(length));
}

void Bf16Operands::pack_B(const Product<float>& p, std::int64_t piece, std::uint16_t* packed) const {
  const std::int64_t ranges = divide_up(p.K, kPackDepth), k = piece % ranges * kPackDepth,
                     panels = divide_up(p.N, kWidth);
  const std::int64_t begin = piece / ranges * kPackPanels, end = std::min(panels, begin + kPackPanels);
  const Bf16Lines columns{p.B.data, p.B.stride, !p.transposed_B};
  for (std::int64_t panel = begin; panel < end; ++panel) {
    const std::int64_t first = panel * kWidth;
    pack_bf16_columns<kBf16>(columns.from(first, k), std::min(kWidth, p.N - first), std::min(kPackDepth, p.K - k),
                             packed + panel * kBf16.depth(p.K) * kWidth + k * kWidth);
  }
}

void Bf16Operands::multiply_block(const Product<float>& p, const std::uint16_t* packed_A, const std::uint16_t* packed_B,
                                  const Extent& e, Matrix<float> C, bool accumulate) const {
  const Matrix<float> block{C.row(e.top) + e.left, e.rows, e.cols, C.stride};
  if (p.K == 0 && !accumulate) {
    for (std::int64_t i = 0; i < e.rows; ++i) std::fill_n(block.row(i), e.cols, 0.0f);
  }
  const std::int64_t apart = kBf16.depth(p.K) * kWidth;
  const auto multiply = [&](const auto& rows) {  // rows(k, length) are the panels of A
    for (std::int64_t k = 0; k < p.K; k += kRange) {
      const std::int64_t length = std::min(kRange, p.K - k);
      multiply_bf16({kernel, e.rows, kBf16.depth(length), rows(k, length)},
                    packed_B + e.left / kWidth * apart + k * kWidth, apart, block, accumulate || k > 0);
    }
  };
  if (packed_A != nullptr) {
    return multiply([&](std::int64_t k, std::int64_t length) {
      return packed_A + k * (size_of_A(p) / kBf16.depth(p.K)) + e.top * kBf16.depth(length);
    });
  }
  on_stack<std::uint16_t, kBlockRows * kRange>([&](std::uint16_t* own_rows) {
    multiply([&](std::int64_t k, std::int64_t length) {
      pack_rows(p, e.top, e.rows, k, length, own_rows);
      return own_rows;
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
