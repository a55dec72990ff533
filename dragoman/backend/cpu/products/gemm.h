// The matrix product C = op(A) op(B), with C [M, N], op(A) [M, K] and op(B) [K, N].
//
// How a product is computed (run_product runs the steps, on the thread team):
//   1. pack_B copies all of op(B) into panels of kTileCols columns, in the arena. Panel p is [K, kTileCols]: for
//      k = 0, 1, ... the elements of columns p kTileCols, ... of row k. A piece of work packs kPackPanels panels for
//      kPackDepth values of k.
//   2. C is split into blocks of `Blocks::height` rows by `Blocks::panels` panels of columns. A piece of work computes
//      one block with multiply_block, and no other piece writes to it. For each range of kDepth values of k:
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
// Packs one piece of op(B): kPackPanels panels, of each kPackDepth values of k. `packed` is the start of all panels.
inline constexpr std::int64_t kPackPanels = 4, kPackDepth = 128;
inline std::int64_t pack_pieces(std::int64_t panels, std::int64_t K) {
  return divide_up(panels, kPackPanels) * divide_up(K, kPackDepth);
}
template <class T>
void pack_B(const Product<T>& p, std::int64_t piece, T* packed);

// How C is split into blocks. The bits of C do not depend on it, so it depends on the number of threads: a block begins
// as kBlockRows rows of all columns, and its longer side is halved until there are kPerThread blocks for each thread. A
// block that is narrower packs more rows of A for each product, and a lower one reads more of B.
struct Blocks {
  std::int64_t rows, cols;      // the grid of blocks: block i is in row i / cols and column i % cols
  std::int64_t height, panels;  // rows of C and panels of B for each block
  std::int64_t panel_width;     // columns of a panel

  Blocks(std::int64_t M, std::int64_t panels_of_B, std::int64_t width, int threads)
      : height(kBlockRows), panels(std::max<std::int64_t>(1, panels_of_B)), panel_width(width) {
    constexpr std::int64_t kPerThread = 3, kLowest = 4 * kTileRows, kNarrowest = 4;
    const std::int64_t wanted = threads == 1 ? 1 : kPerThread * threads;
    const auto split = [&] {
      rows = divide_up(M, height);
      cols = divide_up(panels_of_B, panels);
    };
    split();
    while (count() < wanted && (height > kLowest || panels > kNarrowest)) {
      if (panels > kNarrowest && (height <= kLowest || panels * panel_width > 2 * height)) {
        panels = std::max(kNarrowest, divide_up(panels, 2));
      } else {
        height = std::max(kLowest, divide_up(height / 2, kTileRows) * kTileRows);
      }
      split();
    }
  }
  std::int64_t count() const { return rows * cols; }
};

// The rows and columns of C that a block covers.
struct Extent {
  std::int64_t top, rows, left, cols;
};
template <class T>
Extent extent(const Product<T>& p, const Blocks& blocks, std::int64_t block) {
  const std::int64_t top = block / blocks.cols * blocks.height, width = blocks.panels * blocks.panel_width;
  const std::int64_t left = block % blocks.cols * width;
  return {top, std::min(blocks.height, p.M - top), left, std::min(width, p.N - left)};
}

// C = op(A) op(B), or += if it accumulates, for one block of C. packed_B holds all panels of op(B).
template <class T>
void multiply_block(const Product<T>& p, const T* packed_B, const Extent& extent, Matrix<T> C, bool accumulate);

// Runs a product: pack(piece) for all pieces of op(B), which has panels of `width` columns, then multiply(extent) for
// all blocks of C. `on` has threads() and launch(pieces, work, name), as Context has them.
template <class T, class On, class Pack, class Multiply>
void run_product(const On& on, const Product<T>& p, std::int64_t width, const Pack& pack, const Multiply& multiply) {
  const std::int64_t panels = divide_up(p.N, width);
  const Blocks blocks(p.M, panels, width, on.threads());
  const auto named = [&](const char* part) {
    return [&p, part] { return join(part, " [", p.M, ", ", p.N, "] over ", p.K); };
  };
  on.launch(pack_pieces(panels, p.K), pack, named("packing for product"));
  on.launch(
      blocks.count(), [&](std::int64_t block) { multiply(extent(p, blocks, block)); }, named("product"));
}

// C = op(A) op(B), or += if it accumulates; then finish(extent) for each block of C. `packed` is memory for
// packed_size(p) elements.
template <class T, class On, class Finish>
void multiply_blocks(const On& on, const Product<T>& p, T* packed, Matrix<T> C, bool accumulate, const Finish& finish) {
  run_product(
      on, p, kTileCols<T>, [&](std::int64_t piece) { pack_B(p, piece, packed); },
      [&](const Extent& e) {
        multiply_block(p, packed, e, C, accumulate);
        finish(e);
      });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
