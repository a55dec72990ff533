// The matrix product C = op(A) op(B), with C [M, N], op(A) [M, K] and op(B) [K, N].
//
// How a product is computed (run_product runs the steps, on the thread team):
//   1. The product is cut into slabs: a range of k by a range of columns (Slabs), so that what is packed stays in the
//      caches until it is used. For each range of k, and in it for each range of columns:
//   2. pack_B copies the slab's part of op(B) into panels of kTileCols columns, in the arena. A panel is
//      [K, kTileCols]: for k = 0, 1, ... the elements of its columns. A piece of work packs kPackPanels panels for
//      kPackDepth values of k.
//   3. The slab of C is split into blocks of some rows by some panels of columns (Blocks). A piece of work computes one
//      block with multiply_block, and no other piece writes to it. For each range of kDepth values of k it multiplies
//      panels of kTileRows rows of op(A). These are rows of A in place if A is not transposed and tiles can read it so.
//      Otherwise they are packed, [depth, kTileRows]: for each k the elements of the rows. If several blocks need the
//      same rows, then pack_A has packed op(A) for all of them, together with op(B); if not, a block packs its own
//      rows, on the thread's stack.
//      multiply_panels (tile.h) multiplies these panels by the panels of B, tile by tile: a tile of C is kTileRows by
//      kTileCols, and its sums stay in registers over the kDepth values of k.
//   4. Bias, ReLU and dropout (finish.h) are applied while the block is still in the cache.
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
#include "dragoman/base/strings.h"

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

// A piece of packing op(B) is kPackPanels panels, of each kPackDepth values of k; one of op(A) is kPackRows rows and a
// range of k.
inline constexpr std::int64_t kPackPanels = 4, kPackDepth = 128, kPackRows = 8 * kTileRows;
inline std::int64_t pieces_of_B(std::int64_t panels, std::int64_t K) {
  return divide_up(panels, kPackPanels) * divide_up(K, kPackDepth);
}
inline std::int64_t pieces_of_A(std::int64_t M, std::int64_t K, std::int64_t range) {
  return divide_up(M, kPackRows) * divide_up(K, range);
}

// How C is split into blocks. The bits of C do not depend on it, so it depends on the number of threads. A block begins
// as kBlockRows rows of all columns, and its longer side is halved until there are kPerThread blocks for each thread: a
// narrower block reads or packs more rows of A for each product, and a lower one reads more of B. Then the blocks
// become lower still, down to half their height, if the thread that has most to do then has at least 2 % less. The
// blocks share the rows of C, in units that kernels multiply at a time, and the panels of B as evenly as possible. They
// are numbered column by column or row by row. So the share of a thread (threads.h) needs few panels of B, or few rows
// of A, mostly those that the thread has packed or written itself.
struct Blocks {
  std::int64_t rows, cols;     // the grid of blocks
  std::int64_t unit, units;    // rows of a unit, and units of C
  std::int64_t width, panels;  // columns of a panel, and panels of B
  bool row_by_row;             // how blocks are numbered

  Blocks(std::int64_t M, std::int64_t N, std::int64_t rows_of_unit, std::int64_t width_of_panel, int threads,
         bool numbered_row_by_row)
      : unit(rows_of_unit),
        units(divide_up(M, unit)),
        width(width_of_panel),
        panels(divide_up(N, width)),
        row_by_row(numbered_row_by_row) {
    constexpr std::int64_t kPerThread = 3, kNarrowest = 2;
    const std::int64_t wanted = threads == 1 ? 1 : kPerThread * threads;
    const std::int64_t lowest = std::max<std::int64_t>(1, 2 * kTileRows / unit);
    std::int64_t high = kBlockRows / unit, wide = std::max<std::int64_t>(1, panels);  // units and panels of a block
    const auto split = [&] {
      rows = divide_up(units, high);
      cols = divide_up(panels, wide);
    };
    split();
    while (count() < wanted && (high > lowest || wide > kNarrowest)) {
      if (wide > kNarrowest && (high <= lowest || wide * width > 2 * high * unit)) {
        wide = std::max(kNarrowest, divide_up(wide, 2));
      } else {
        high = std::max(lowest, divide_up(high, 2));
      }
      split();
    }
    if (threads == 1) return;
    // The most that a thread has to do, with n rows of blocks: its number of blocks times the units of the highest one.
    const auto most = [&](std::int64_t n) { return divide_up(n * cols, threads) * divide_up(units, n); };
    for (std::int64_t n = rows + 1, end = std::min(2 * rows, units / lowest); n <= end; ++n) {
      if (100 * most(n) <= 98 * most(rows)) rows = n;
    }
  }
  std::int64_t count() const { return rows * cols; }
  std::int64_t row(std::int64_t block) const { return row_by_row ? block / cols : block % rows; }
  std::int64_t col(std::int64_t block) const { return row_by_row ? block % cols : block / rows; }
};

// The rows and columns of C that a block covers.
struct Extent {
  std::int64_t top, rows, left, cols;
};
template <class T>
Extent extent(const Product<T>& p, const Blocks& blocks, std::int64_t block) {
  const auto top = [&](std::int64_t row) {
    return std::min(p.M, divide_up(row * blocks.units, blocks.rows) * blocks.unit);
  };
  const auto left = [&](std::int64_t col) {
    return std::min(p.N, divide_up(col * blocks.panels, blocks.cols) * blocks.width);
  };
  const std::int64_t row = blocks.row(block), col = blocks.col(block);
  return {top(row), top(row + 1) - top(row), left(col), left(col + 1) - left(col)};
}

// The slabs of a product. Packed, a slab of op(B) has at most about kElements elements. For few threads a slab is less
// deep and has about kElementsPerThread elements for each thread, so that what they pack can stay in their caches. But
// it has at least `range` values of k, whose sums stay in registers, even if it has more elements then. `depth` is a
// multiple of `range`, so slabs do not change the order of sums.
struct Slabs {
  static constexpr std::int64_t kElements = 1 << 21, kElementsPerThread = 1 << 18;
  static constexpr std::int64_t kMostThreads = kElements / kElementsPerThread;  // more do not change the slabs
  std::int64_t depth, cols;  // values of k and columns of C in each slab; there may be fewer in the last

  Slabs(std::int64_t N, std::int64_t K, std::int64_t width, std::int64_t range, std::int64_t threads) {
    constexpr std::int64_t kColumns = 2048;
    const auto depth_of = [&](std::int64_t elements) {
      return part_of(K, elements / std::clamp<std::int64_t>(N, 1, kColumns), range);
    };
    depth = depth_of(kElementsPerThread * std::min(threads, kMostThreads));
    cols = part_of(N, kElements / depth_of(kElements), width);
  }

 private:
  // Cuts `whole` into equal parts of at most about `most`. A part is a multiple of `unit`.
  static std::int64_t part_of(std::int64_t whole, std::int64_t most, std::int64_t unit) {
    const std::int64_t parts = std::max<std::int64_t>(1, divide_up(whole, std::max(unit, most / unit * unit)));
    return std::max(unit, divide_up(divide_up(whole, parts), unit) * unit);
  }
};
// The part of a product with `depth` values of k, from k on, and `cols` columns of C, from `left` on.
template <class T>
Product<T> slab(const Product<T>& p, std::int64_t k, std::int64_t depth, std::int64_t left, std::int64_t cols) {
  Product<T> part = p;
  part.K = depth;
  part.N = cols;
  part.A.data += p.transposed_A ? k * p.A.stride : k;
  part.B.data += p.transposed_B ? left * p.B.stride + k : k * p.B.stride + left;
  return part;
}

// Whether op(A) may be packed for all blocks at once. With more than kSharedRows rows it is not, because the packed
// rows would take much memory: then blocks side by side pack the same rows, each for itself.
template <class Operands, class T>
bool may_share_rows(const Operands& operands, const Product<T>& p) {
  constexpr std::int64_t kSharedRows = 4096;
  return p.M <= kSharedRows && !operands.reads_in_place(p);
}

// The operands of a product as run_product packs and multiplies them; Bf16Operands (bf16.h) is the other form.
template <class T>
struct FloatOperands {
  using Element = T;
  static constexpr std::int64_t kUnit = kTileRows, kWidth = kTileCols<T>, kRange = kDepth;

  // Elements that op(A) and op(B) take when they are packed.
  std::int64_t size_of_A(const Product<T>& p) const { return divide_up(p.M, kTileRows) * panel_stride(p.K, kTileRows); }
  std::int64_t size_of_B(const Product<T>& p) const { return divide_up(p.N, kWidth) * panel_stride(p.K, kWidth); }
  // Whether op(A) is read in place and never packed.
  static bool reads_in_place(const Product<T>& p) { return kReadsInPlace<T> && !p.transposed_A; }
  // Pack one piece. `packed` is the start of all panels.
  void pack_A(const Product<T>& p, std::int64_t piece, T* packed) const;
  void pack_B(const Product<T>& p, std::int64_t piece, T* packed) const;
  // C = op(A) op(B), or += if it accumulates, for one block of C. packed_A is null if op(A) is read in place or the
  // block is to pack its own rows.
  void multiply_block(const Product<T>& p, const T* packed_A, const T* packed_B, const Extent& extent, Matrix<T> C,
                      bool accumulate) const;
};

// The elements that run_product needs at most for the packed operands. They depend on shapes alone: the number of
// threads only makes slabs less deep.
template <class Operands, class T>
std::int64_t packed_size(const Operands& operands, const Product<T>& p) {
  const Slabs slabs(p.N, p.K, Operands::kWidth, Operands::kRange, Slabs::kMostThreads);
  const Product<T> largest = slab(p, 0, std::min(p.K, slabs.depth), 0, std::min(p.N, slabs.cols));
  return operands.size_of_B(largest) + (may_share_rows(operands, p) ? operands.size_of_A(largest) : 0);
}

// C = op(A) op(B), or += if it accumulates; then finish(extent) for each block of C. `packed` is memory for
// packed_size(operands, p) elements. `on` has threads() and launch(pieces, work, name), as Context has them.
template <class T, class On, class Operands, class Finish>
void run_product(const On& on, const Operands& operands, const Product<T>& p, typename Operands::Element* packed,
                 Matrix<T> C, bool accumulate, const Finish& finish) {
  const auto named = [&](const char* part) {
    return [&p, part] { return join(part, " [", p.M, ", ", p.N, "] over ", p.K); };
  };
  const Slabs slabs(p.N, p.K, Operands::kWidth, Operands::kRange, on.threads());
  std::int64_t k = 0;
  do {  // also if there is no k to sum over
    const std::int64_t depth = std::min(slabs.depth, p.K - k);
    const typename Operands::Element* packed_A = nullptr;
    for (std::int64_t left = 0; left < p.N; left += slabs.cols) {
      const Product<T> part = slab(p, k, depth, left, std::min(slabs.cols, p.N - left));
      // If both operands are packed, a thread should pack and read the same part of the larger one. Rows that are read
      // in place were probably written by the same thread, in the kernel before.
      const bool row_by_row = operands.reads_in_place(p) || p.M >= part.N;
      const Blocks blocks(p.M, part.N, Operands::kUnit, Operands::kWidth, on.threads(), row_by_row);
      std::int64_t pieces_A = 0;
      const std::int64_t pieces_B = pieces_of_B(blocks.panels, depth);
      auto* to_A = packed + operands.size_of_B(part);
      if (packed_A == nullptr && may_share_rows(operands, p) && (blocks.cols > 1 || part.N < p.N)) {
        pieces_A = pieces_of_A(p.M, depth, Operands::kRange);
        packed_A = to_A;
      }
      // The pieces of A are spread evenly among those of B, so each thread packs its share of both.
      const std::int64_t pieces = pieces_A + pieces_B;
      const auto pack = [&](std::int64_t piece) {
        const std::int64_t of_A = piece * pieces_A / pieces;  // pieces of A before this one
        if ((piece + 1) * pieces_A / pieces > of_A) return operands.pack_A(part, of_A, to_A);
        operands.pack_B(part, piece - of_A, packed);
      };
      on.launch(pieces, pack, named("packing for product"));
      const auto multiply = [&](std::int64_t block) {
        const Extent e = extent(part, blocks, block);
        operands.multiply_block(part, packed_A, packed, e, {C.data + left, C.rows, part.N, C.stride},
                                accumulate || k > 0);
        if (k + depth == p.K) finish(Extent{e.top, e.rows, left + e.left, e.cols});
      };
      on.launch(blocks.count(), multiply, named("product"));
    }
    k += depth;
  } while (k < p.K);
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
