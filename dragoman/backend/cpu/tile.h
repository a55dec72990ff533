// Register tiles: some rows of C by the columns of one or more panels of B, summed along k in order. Tiles of any size
// give an element the same bits.
#pragma once

#include <cstdint>
#include <utility>

#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu {

// C in registers: kTileRows rows of kTileVectors vectors; and how many k are summed at a time before the partial sums
// are added in order: with these a panel of B stays in the first-level cache.
#if defined(__AVX512F__)
inline constexpr std::int64_t kTileRows = 8, kTileVectors = 2, kDepth = 256;
#elif defined(__AVX__)
inline constexpr std::int64_t kTileRows = 4, kTileVectors = 3, kDepth = 256;  // 16 registers only
#else
inline constexpr std::int64_t kTileRows = 8, kTileVectors = 3, kDepth = 512;
#endif
template <class T>
inline constexpr std::int64_t kTileCols = kTileVectors* kLanes<T>;

// Elements from one panel to the next: a little more than it holds, so that equal places of neighbouring panels do not
// compete for the same lines of the cache.
constexpr std::int64_t panel_stride(std::int64_t depth, std::int64_t width) { return depth * width + 32; }

// Rows of A as panels [depth, kTileRows], or columns of B as panels [depth, kTileCols], `apart` elements from one to
// the next. What lies in a last panel beyond the rows or columns that there are does not matter.
template <class T>
struct Panels {
  const T* data;
  std::int64_t apart;

  const T* panel(std::int64_t i) const { return data + i * apart; }
  // The same panels, without their first elements.
  Panels from(std::int64_t elements) const { return {data + elements, apart}; }
};

// A tile of few rows takes several panels of B at once: one sum waits for the one before it, so that a dozen at least
// must be under way.
constexpr std::int64_t panels_at_once(std::int64_t rows) { return rows == 1 ? 4 : rows <= kTileRows / 2 ? 2 : 1; }

template <std::int64_t N, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  [&]<std::int64_t... i>(std::integer_sequence<std::int64_t, i...>) {
    (f(std::integral_constant<std::int64_t, i>()), ...);
  }
  (std::make_integer_sequence<std::int64_t, N>());
}

// C [Rows, Wide panels] = (or +=) the first Rows rows of a panel of A by Wide panels of B, of each the first Vectors
// vectors.
template <class T, std::int64_t Rows, std::int64_t Wide, std::int64_t Vectors = kTileVectors>
void multiply_tile(std::int64_t depth, const T* A, Panels<T> B, T* C, std::int64_t stride, bool accumulate) {
  constexpr std::int64_t kVectors = Wide * Vectors;
  Vec<T> sums[Rows * kVectors] = {};
  const T* b = B.data;
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < depth; ++k) {
    [[maybe_unused]] Vec<T> a[2];  // one load, and products by lane, where that exists
    if constexpr (kLanes<T> == 4) {
      a[0] = load(A);
      if constexpr (Rows > 4) a[1] = load(A + 4);
    }
    const auto element = [&](auto row) {
      if constexpr (kLanes<T> == 4) return a[row / 4][row % 4];
      return A[row];
    };
    unrolled<Wide>([&](auto panel) {
      Vec<T> columns[Vectors];
      unrolled<Vectors>([&](auto v) { columns[v] = load(b + panel * B.apart + v * kLanes<T>); });
      unrolled<Rows>([&](auto row) {
        unrolled<Vectors>([&](auto v) { sums[row * kVectors + panel * Vectors + v] += element(row) * columns[v]; });
      });
    });
    A += kTileRows;
    b += kTileCols<T>;
  }
  unrolled<Rows>([&](auto row) {
    unrolled<kVectors>([&](auto v) {
      T* to = C + row * stride + v * kLanes<T>;
      store(to, accumulate ? sums[row * kVectors + v] + load(to) : sums[row * kVectors + v]);
    });
  });
}

// C = (or +=) A B for packed operands, in the order of the cache: a panel of B stays while all rows pass by.
template <class T>
void multiply_panels(std::int64_t depth, Panels<T> A, Panels<T> B, Matrix<T> C, bool accumulate);

// Rows whose panels of A lie in the cache together.
inline constexpr std::int64_t kBlockRows = 128;

// C = A B for panels of all K.
template <class T>
void multiply_whole(std::int64_t K, Panels<T> A, Panels<T> B, Matrix<T> C);

}  // namespace dragoman::cpu
