// Register tiles, the innermost part of the matrix product (gemm.h describes the whole). A tile of C is some rows of a
// panel of A by the columns of one or more panels of B. Its sums stay in registers and run along k in order, so an
// element of C has the same bits in tiles of any size.
//
// The inner loop reads panels of the operands from front to back:
//   a panel of B is packed as [depth, kTileCols]: its elements for k = 0, then those for k = 1, and so on;
//   a panel of A is packed as [depth, kTileRows], or it is kTileRows rows of a matrix in place (kReadsInPlace).
#pragma once

#include <cstdint>
#include <type_traits>

#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// The sizes that fit the registers and caches of a processor. A tile has `rows` rows of `vectors` vectors. Its
// registers sum `depth` values of k; then the partial sums are added to C. `depth` rows of a panel of B fit the
// first-level cache; with AVX-512 they are twice as large as that cache and come from the second-level one. At most
// `block_rows` rows of C are computed together: their panels of A, `depth` deep, fit the second-level cache.
struct TileSizes {
  std::int64_t rows, vectors, depth, block_rows;
};
#if defined(DRAGOMAN_TILE_SIZES)  // bench/sweep_products tries others
inline constexpr TileSizes kTileSizes{DRAGOMAN_TILE_SIZES};
#elif defined(__AVX512F__)
inline constexpr TileSizes kTileSizes{8, 3, 512, 384};
#elif defined(__AVX__)
inline constexpr TileSizes kTileSizes{4, 3, 256, 128};  // there are only 16 registers
#else
inline constexpr TileSizes kTileSizes{8, 3, 512, 128};
#endif
inline constexpr std::int64_t kTileRows = kTileSizes.rows, kTileVectors = kTileSizes.vectors, kDepth = kTileSizes.depth,
                              kBlockRows = kTileSizes.block_rows;
static_assert(kBlockRows % kTileRows == 0);
template <class T>
inline constexpr std::int64_t kTileCols = kTileVectors* kLanes<T>;

// Elements from one panel to the next. This is a little more than a panel holds, so that elements at the same place in
// neighbouring panels do not compete for the same cache lines.
constexpr std::int64_t panel_stride(std::int64_t depth, std::int64_t width) { return depth * width + 32; }

// The panels of B; each begins `apart` elements after the one before. If the last panel has fewer columns than a full
// one, the rest of it may hold anything. from(k) are the same panels without the values before k.
template <class T>
struct Panels {
  const T* data;
  std::int64_t apart;

  Panels from_panel(std::int64_t i) const { return {data + i * apart, apart}; }
  Panels from(std::int64_t k) const { return {data + k * kTileCols<T>, apart}; }
};

// The same for A: `rows` are those of the first panel. If the last panel has fewer rows than a full one, packed panels
// may hold anything for the others, and in place there are no others: tiles do not read them.
template <class T>
struct RowPanels {
  Strided<T> rows;
  std::int64_t apart;

  RowPanels from_panel(std::int64_t i) const { return {{rows.data + i * apart, rows.row, rows.column}, apart}; }
  RowPanels from(std::int64_t k) const { return {{rows.data + k * rows.column, rows.row, rows.column}, apart}; }
};
template <class T>
RowPanels<T> packed_rows(const T* packed, std::int64_t apart) {
  return {{packed, 1, kTileRows}, apart};
}

// Whether tiles can read the rows of a matrix in place. With vectors of four lanes they cannot: those tiles load the
// elements of several rows as one vector.
template <class T>
inline constexpr bool kReadsInPlace = kLanes<T> != 4;
template <class T>
RowPanels<std::remove_const_t<T>> rows_in_place(Matrix<T> x) {
  static_assert(kReadsInPlace<T>);
  return {{x.data, x.stride, 1}, kTileRows * x.stride};
}

// How many panels of B a tile of `rows` rows takes at once. Each addition to a sum waits for the one before it, so
// about a dozen independent sums are needed to keep the processor busy; a tile of few rows has them only with several
// panels.
constexpr std::int64_t panels_at_once(std::int64_t rows) { return rows == 1 ? 4 : rows <= kTileRows / 2 ? 2 : 1; }

// The elements of C that the tiles of a product of M rows and N columns compute. The last panel of B, if it is not
// whole, is computed in whole vectors by tiles of all rows, and as a whole panel by tiles of fewer rows and if its
// columns are not whole vectors.
template <class T>
constexpr std::int64_t elements_computed(std::int64_t M, std::int64_t N) {
  const std::int64_t last = N % kTileCols<T>, exact_rows = last % kLanes<T> == 0 ? M / kTileRows * kTileRows : 0;
  return M * (N - last) + (last == 0 ? 0 : exact_rows * last + (M - exact_rows) * kTileCols<T>);
}

// Memory that a later tile needs, and that a tile fetches into the second-level cache meanwhile: for each k the cache
// line at `from`, which then advances by `step` elements. Only bodies whose vectors fill a cache line do this.
template <class T>
struct Ahead {
  const T* from;
  std::int64_t step;
};

// One tile: C = A B, or C += A B if it accumulates. A is one panel, of which the first Rows rows are used. B is Wide
// panels, and of each the first Vectors vectors are used. C has Rows rows of Wide * Vectors vectors, `stride` apart.
template <class T, std::int64_t Rows, std::int64_t Wide, std::int64_t Vectors = kTileVectors>
void multiply_tile(std::int64_t depth, const Strided<T>& A, Panels<T> B, T* C, std::int64_t stride, bool accumulate,
                   [[maybe_unused]] Ahead<T> ahead) {
  constexpr std::int64_t kVectors = Wide * Vectors;
  static_assert(Rows <= 16 && kVectors <= 16 && Wide <= 4 && Vectors <= 4);  // as far as the loops below are unrolled
  // The tile: for each vector of columns the sums of all rows. It stays in registers, because all loops over it are
  // unrolled. They are plain loops, because gcc does not always inline lambdas, and one that captures the sums would
  // put them into memory. (With the sums row by row, gcc 12 makes a loop for NEON that is 3 % slower.)
  Vec<T> sums[Rows * kVectors] = {};
  const T* b = B.data;
  const T* a = A.data;
  const std::int64_t row_stride = kReadsInPlace<T> ? A.row : 1, column_stride = kReadsInPlace<T> ? A.column : kTileRows;
  // If a vector fills a cache line, fetch the lines of C meanwhile. A row may begin in the middle of a line; then its
  // last vector ends in one more.
  if constexpr (kVectorBytes == 64) {
    for (std::int64_t row = 0; row < Rows; ++row) {
      const T* to = C + row * stride;
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < kVectors; ++v) __builtin_prefetch(to + v * kLanes<T>, 1);
      __builtin_prefetch(to + kVectors * kLanes<T> - 1, 1);
    }
  }
  // For each k: load the vectors of B, multiply each by the k-th element of every row of A, and add to the sums.
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < depth; ++k) {
    // With vectors of four lanes, the elements of A are loaded as vectors and used lane by lane: NEON can multiply by a
    // lane directly.
    [[maybe_unused]] Vec<T> quads[2];
    if constexpr (kLanes<T> == 4) {
      quads[0] = load(a);
      if constexpr (Rows > 4) quads[1] = load(a + 4);
    }
#pragma GCC unroll 4
    for (std::int64_t panel = 0; panel < Wide; ++panel) {
      Vec<T> columns[Vectors];
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < Vectors; ++v) columns[v] = load(b + panel * B.apart + v * kLanes<T>);
#pragma GCC unroll 16
      for (std::int64_t row = 0; row < Rows; ++row) {
        const T element = kLanes<T> == 4 ? quads[row / 4][row % 4] : a[row * row_stride];
#pragma GCC unroll 4
        for (std::int64_t v = 0; v < Vectors; ++v) sums[(panel * Vectors + v) * Rows + row] += element * columns[v];
      }
    }
    if constexpr (kVectorBytes == 64) {
      __builtin_prefetch(ahead.from, 0, 2);
      ahead.from += ahead.step;
    }
    a += column_stride;
    b += kTileCols<T>;
  }
  // Write the tile to C.
#pragma GCC unroll 16
  for (std::int64_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 16
    for (std::int64_t v = 0; v < kVectors; ++v) {
      T* to = C + row * stride + v * kLanes<T>;
      store(to, accumulate ? sums[v * Rows + row] + load(to) : sums[v * Rows + row]);
    }
  }
}

// C = A B, or C += A B if it accumulates, for panels of the given depth. The outer loop runs over panels of B and the
// inner one over panels of A, so a panel of B stays in a near cache while all rows are multiplied.
template <class T>
void multiply_panels(std::int64_t depth, RowPanels<T> A, Panels<T> B, Matrix<T> C, bool accumulate);

// C = A B, where the panels hold all K values of k, which may be many more than kDepth. Splits C into blocks and K into
// ranges of kDepth.
template <class T>
void multiply_full_depth(std::int64_t K, RowPanels<T> A, Panels<T> B, Matrix<T> C);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
