#include "dragoman/backend/cpu/products/tile.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

template <class T>
using TileFunction = void (*)(std::int64_t depth, const Strided<T>& A, Panels<T> B, T* C, std::int64_t stride,
                              bool accumulate, Ahead<T> ahead);

// multiply_tile for 1 to kTileRows rows: entry i has i + 1 rows. `narrow` takes one panel of B, `wide` as many as
// panels_at_once says.
template <class T>
struct TileFunctions {
  std::array<TileFunction<T>, kTileRows> narrow, wide;
};
template <class T, std::int64_t... i>
constexpr TileFunctions<T> make_tiles(std::integer_sequence<std::int64_t, i...>) {
  return {{multiply_tile<T, i + 1, 1>...}, {multiply_tile<T, i + 1, panels_at_once(i + 1)>...}};
}
template <class T>
constexpr TileFunctions<T> kTiles = make_tiles<T>(std::make_integer_sequence<std::int64_t, kTileRows>());

// multiply_tile for all kTileRows rows and one panel of B, of which 1 to kTileVectors vectors are used: entry i uses
// i + 1. The entries with few vectors are for a last panel with few columns.
template <class T, std::int64_t... i>
constexpr std::array<TileFunction<T>, kTileVectors> make_short_tiles(std::integer_sequence<std::int64_t, i...>) {
  return {multiply_tile<T, kTileRows, 1, i + 1>...};
}
template <class T>
constexpr std::array<TileFunction<T>, kTileVectors> kShortTiles =
    make_short_tiles<T>(std::make_integer_sequence<std::int64_t, kTileVectors>());

// A tile at the right edge of C, whose columns are not a whole number of vectors. It is computed in a buffer, and only
// the columns that exist are copied to C.
template <class T>
void multiply_edge(std::int64_t depth, const Strided<T>& A, Panels<T> B, std::int64_t rows, std::int64_t cols, T* C,
                   std::int64_t stride, bool accumulate, Ahead<T> ahead) {
  T buffer[kTileRows * kTileCols<T>];
  kTiles<T>.narrow[rows - 1](depth, A, B, buffer, kTileCols<T>, false, ahead);
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* from = buffer + i * kTileCols<T>;
    T* to = C + i * stride;
    for (std::int64_t j = 0; j < cols; ++j) to[j] = accumulate ? to[j] + from[j] : from[j];
  }
}

}  // namespace

// j is the first column of the current tile and `panel` the panel of B that holds it.
template <class T>
void multiply_panels(std::int64_t depth, RowPanels<T> A, Panels<T> B, Matrix<T> C, bool accumulate) {
  std::int64_t j = 0, panel = 0;
  // 1. If there is only one panel of A: tiles of several panels of B, as long as they are whole.
  if (C.rows <= kTileRows) {
    const std::int64_t wide = panels_at_once(C.rows);
    for (; j + wide * kTileCols<T> <= C.cols; j += wide * kTileCols<T>, panel += wide) {
      kTiles<T>.wide[C.rows - 1](depth, A.rows, B.from_panel(panel), C.data + j, C.stride, accumulate,
                                 {A.rows.data, 0});
    }
  }
  // 2. The rest, one panel of B at a time: one tile for each panel of A. The tiles of a panel together fetch the next
  // one. The three branches are for tiles with all rows and whole vectors, with fewer rows and a whole panel, and at
  // the right edge.
  const std::int64_t step = std::max<std::int64_t>(1, kTileCols<T> / divide_up(C.rows, kTileRows));
  for (; j < C.cols; j += kTileCols<T>, ++panel) {
    const Panels<T> b = B.from_panel(panel);
    const std::int64_t cols = std::min(kTileCols<T>, C.cols - j);
    for (std::int64_t i = 0; i < C.rows; i += kTileRows) {
      const std::int64_t rows = std::min(kTileRows, C.rows - i);
      const Strided<T> a = A.from_panel(i / kTileRows).rows;
      T* to = C.row(i) + j;
      const Ahead<T> ahead{B.from_panel(panel + 1).data + i / kTileRows * step * depth, step};
      if (rows == kTileRows && cols % kLanes<T> == 0) {
        kShortTiles<T>[cols / kLanes<T> - 1](depth, a, b, to, C.stride, accumulate, ahead);
      } else if (cols == kTileCols<T>) {
        kTiles<T>.narrow[rows - 1](depth, a, b, to, C.stride, accumulate, ahead);
      } else {
        multiply_edge(depth, a, b, rows, cols, to, C.stride, accumulate, ahead);
      }
    }
  }
}

template <class T>
void multiply_full_depth(std::int64_t K, RowPanels<T> A, Panels<T> B, Matrix<T> C) {
  if (K == 0) {
    for (std::int64_t i = 0; i < C.rows; ++i) std::fill_n(C.row(i), C.cols, T{0});
  }
  // With few rows, reading B takes most of the time: take a few panels of B at a time, over all of K, so that B is read
  // once from front to back. With many rows, arithmetic takes most of the time: take all panels of B for one range of
  // K, so that the panels of A for this range stay in the cache.
  const bool few = C.rows <= kTileRows;
  const std::int64_t height = std::min(C.rows, kBlockRows);
  const std::int64_t width = few ? panels_at_once(std::max<std::int64_t>(1, C.rows)) * kTileCols<T> : C.cols;
  for (std::int64_t top = 0; top < C.rows; top += height) {
    for (std::int64_t left = 0; left < C.cols; left += width) {
      const Matrix<T> block{C.row(top) + left, std::min(height, C.rows - top), std::min(width, C.cols - left),
                            C.stride};
      const RowPanels<T> a = A.from_panel(top / kTileRows);
      const Panels<T> b = B.from_panel(left / kTileCols<T>);
      for (std::int64_t k = 0; k < K; k += kDepth) {
        multiply_panels(std::min(kDepth, K - k), a.from(k), b.from(k), block, k > 0);
      }
    }
  }
}

template void multiply_panels(std::int64_t, RowPanels<float>, Panels<float>, Matrix<float>, bool);
template void multiply_panels(std::int64_t, RowPanels<double>, Panels<double>, Matrix<double>, bool);
template void multiply_full_depth(std::int64_t, RowPanels<float>, Panels<float>, Matrix<float>);
template void multiply_full_depth(std::int64_t, RowPanels<double>, Panels<double>, Matrix<double>);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
