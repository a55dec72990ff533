// The matrix product C = op(A) op(B), with C [M, N], op(A) [M, K] and op(B) [K, N].
//
// How a product is computed (matmul.cpp runs the steps, on the thread team):
//   1. pack_B copies all of op(B) into panels of kTileCols columns, in the arena. Panel p is [K, kTileCols]: for
//      k = 0, 1, ... the elements of columns p kTileCols, ... of row k. A piece of work packs kPanelGroup panels.
//   2. C is split into blocks of kBlockRows rows by `Blocks::panels` panels of columns. A piece of work computes one
//      block with multiply_block, and no other piece writes to it. For each range of kDepth values of k:
//      2a. pack_A copies the block's part of op(A) into panels of kTileRows rows, on the thread's stack. A panel is
//          [depth, kTileRows]: for each k the elements of its rows.
//      2b. multiply_panels (tile.h) multiplies these panels by the panels of B, tile by tile: a tile of C is
//          kTileRows by kTileCols, and its sums stay in registers over the kDepth values of k.
//   3. Bias, ReLU and dropout (finish.h) are applied while the block is still in the cache.
//
// The sum of an element of C runs along k in an order that depends on K alone: within a range of kDepth in order, and
// the sums of the ranges are added in order. So its bits do not depend on the other rows and columns, on the blocks or
// on the threads. Training needs this to be reproducible, and translation to be independent of the batch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/products/tile.h"
#include "dragoman/backend/matmul.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// The operands of op(A) op(B), where op(A) is [M, K] and op(B) is [K, N].
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

// The number of panels of op(B), and the number of elements that they take together.
template <class T>
std::int64_t panels_of_B(const Product<T>& p) {
  return divide_up(p.N, kTileCols<T>);
}
template <class T>
std::int64_t packed_size(const Product<T>& p) {
  return panels_of_B(p) * panel_stride(p.K, kTileCols<T>);
}
// Packs panels [group * kPanelGroup, (group + 1) * kPanelGroup) of op(B). `packed` is the start of all panels.
inline constexpr std::int64_t kPanelGroup = 8;
template <class T>
void pack_B(const Product<T>& p, std::int64_t group, T* packed);

// How C is split into blocks: kBlockRows rows by a whole number of panels of columns. The split depends on the shape
// alone. If there are few rows of blocks, the columns are split too, so that there are about kWanted blocks; a block
// has at least 4 panels, unless B has fewer.
struct Blocks {
  std::int64_t rows, cols;  // the grid of blocks: block i is in row i / cols and column i % cols
  std::int64_t panels;      // panels of B for each block

  Blocks(std::int64_t M, std::int64_t panels_of_B) : rows(divide_up(M, kBlockRows)) {
    constexpr std::int64_t kWanted = 8;  // a product with few rows does not gain from more threads than this
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

// C = op(A) op(B), or += if it accumulates, for one block of C. packed_B holds all panels of op(B).
template <class T>
void multiply_block(const Product<T>& p, const T* packed_B, const Extent& extent, Matrix<T> C, bool accumulate);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
