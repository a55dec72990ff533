// Matrix products. The operands are packed into panels, and C is computed in register tiles whose sums run along k in
// one order that depends on K alone. So an element of C has the same bits whatever rows, columns or threads it is
// computed with, which training needs to be reproducible and translation to be independent of the batch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/tile.h"
#include "dragoman/backend/matmul.h"

namespace dragoman::cpu {

// op(A) op(B), of [M, K] by [K, N].
template <class T>
struct Product {
  std::int64_t M, N, K;
  Matrix<T> A, B;
  bool transposed_A, transposed_B;
};

template <class T>
Product<T> product(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B) {
  const bool tA = transpose_A == Transpose::kYes, tB = transpose_B == Transpose::kYes;
  const auto a = matrix<T>(A), b = matrix<T>(B);
  return {tA ? a.cols : a.rows, tB ? b.rows : b.cols, tA ? a.rows : a.cols, a, b, tA, tB};
}

// B as panels of kTileCols columns, each [K, kTileCols].
template <class T>
std::int64_t panels_of_B(const Product<T>& p) {
  return divide_up(p.N, kTileCols<T>);
}
template <class T>
std::int64_t packed_size(const Product<T>& p) {
  return panels_of_B(p) * panel_stride(p.K, kTileCols<T>);
}
// Packs panels group * kPanelGroup up to the next group's.
inline constexpr std::int64_t kPanelGroup = 8;
template <class T>
void pack_B(const Product<T>& p, std::int64_t group, T* packed);

// How C is shared out: by shape alone, into blocks of kBlockRows rows by a whole number of panels.
struct Blocks {
  std::int64_t rows, cols;  // of blocks
  std::int64_t panels;      // to a block

  Blocks(std::int64_t M, std::int64_t panels_of_B) : rows(divide_up(M, kBlockRows)) {
    constexpr std::int64_t kWanted = 8;  // enough for any machine that a product this small is worth sharing on
    const std::int64_t wanted = std::max<std::int64_t>(1, divide_up(kWanted, std::max<std::int64_t>(1, rows)));
    panels = std::max<std::int64_t>(std::min<std::int64_t>(panels_of_B, 4), divide_up(panels_of_B, wanted));
    cols = divide_up(panels_of_B, std::max<std::int64_t>(1, panels));
  }
  std::int64_t count() const { return rows * cols; }
};

// The rows and columns of C that a block covers.
struct Extent {
  std::int64_t top, rows, left, cols;
};
template <class T>
Extent extent(const Product<T>& p, const Blocks& blocks, std::int64_t block) {
  const std::int64_t top = block / blocks.cols * kBlockRows, width = blocks.panels * kTileCols<T>;
  const std::int64_t left = block % blocks.cols * width;
  return {top, std::min(kBlockRows, p.M - top), left, std::min(width, p.N - left)};
}

// C = (or +=) op(A) op(B) for one block.
template <class T>
void multiply_block(const Product<T>& p, const T* packed_B, const Extent& extent, Matrix<T> C, bool accumulate);

}  // namespace dragoman::cpu
