// A small matrix product for attention, which reads its operands in place and packs nothing. The rows of B may lie
// anywhere. Every sum runs along k in order, one product at a time. So the bits of a row of C depend on that row of A
// and on B alone, never on the number of rows or columns that are computed together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace micro {

// A tile of C in registers: `Rows` rows by `Vectors` vectors, from column j on.
template <class T, std::int64_t Rows, std::int64_t Vectors, class RowsOfB>
inline void tile(std::int64_t K, Strided<T> A, const RowsOfB& B, std::int64_t j, T* C, std::int64_t stride_C,
                 bool accumulate) {
  // Registers, because all loops over them are unrolled.
  Vec<T> sums[Rows * Vectors] = {}, b[Vectors];
  const T* a = A.data;
  for (std::int64_t k = 0; k < K; ++k, a += A.column) {
    const T* row_of_B = B.row(k) + j;
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < Vectors; ++v) b[v] = load(row_of_B + v * kLanes<T>);
#pragma GCC unroll 8
    for (std::int64_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < Vectors; ++v) sums[row * Vectors + v] += a[row * A.row] * b[v];
    }
  }
#pragma GCC unroll 8
  for (std::int64_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < Vectors; ++v) {
      T* to = C + row * stride_C + j + v * kLanes<T>;
      const Vec<T> sum = sums[row * Vectors + v];
      store(to, accumulate ? load(to) + sum : sum);
    }
  }
}

// `Vectors` vectors of C, from top to bottom, in tiles of `Rows` rows. The remaining rows go into tiles of four rows,
// then of one.
template <class T, std::int64_t Rows, std::int64_t Vectors, class RowsOfB>
inline void tiles(std::int64_t M, std::int64_t K, Strided<T> A, const RowsOfB& B, std::int64_t j, T* C,
                  std::int64_t stride_C, bool accumulate) {
  std::int64_t i = 0;
  for (; i + Rows <= M; i += Rows) {
    tile<T, Rows, Vectors>(K, A.from(i), B, j, C + i * stride_C, stride_C, accumulate);
  }
  if constexpr (Rows > 1) {
    tiles<T, (Rows > 4 ? 4 : 1), Vectors>(M - i, K, A.from(i), B, j, C + i * stride_C, stride_C, accumulate);
  }
}

// A tile of C: one row by one vector, from column j on, of which only the first `lanes` lanes exist.
template <class T, class RowsOfB>
inline void narrow_tile(std::int64_t K, Strided<T> A, const RowsOfB& B, std::int64_t j, T* C, std::int64_t lanes,
                        bool accumulate) {
  Vec<T> sum{};
  for (std::int64_t k = 0; k < K; ++k) sum += A.data[k * A.column] * load_some<T>(B.row(k) + j, lanes);
  store_some(C + j, accumulate ? load_some(C + j, lanes) + sum : sum, lanes);
}

}  // namespace micro

// C = A B, or C += A B if it accumulates, for A [M, K], B [K, N] and C [M, N]. Row k of B starts at B.row(k), and the
// rows of C are stride_C apart.
template <class T, class RowsOfB>
void multiply(std::int64_t M, std::int64_t N, std::int64_t K, Strided<T> A, const RowsOfB& B, T* C,
              std::int64_t stride_C, bool accumulate) {
  // Each addition to a sum waits for the one before it, so narrow tiles have more rows: about as many sums as wide
  // ones, as far as there are registers.
  constexpr std::int64_t lanes = kLanes<T>, kTall = kRegisters == 32 ? 8 : 4;
  std::int64_t j = 0;
  for (; j + 4 * lanes <= N; j += 4 * lanes) micro::tiles<T, 4, 4>(M, K, A, B, j, C, stride_C, accumulate);
  for (; j + 2 * lanes <= N; j += 2 * lanes) micro::tiles<T, kTall, 2>(M, K, A, B, j, C, stride_C, accumulate);
  for (; j + lanes <= N; j += lanes) micro::tiles<T, 8, 1>(M, K, A, B, j, C, stride_C, accumulate);
  for (std::int64_t i = 0; i < M && j < N; ++i) {
    micro::narrow_tile<T>(K, A.from(i), B, j, C + i * stride_C, N - j, accumulate);
  }
}

namespace micro {

// The first `Rows` rows of C = A B^T and the columns of `Vectors` vectors, for the rows of B at `rows`.
template <std::int64_t Rows, std::int64_t Vectors>
inline void dot_tile(std::int64_t K, Strided<float> A, const float* const* rows, float* C, std::int64_t stride_C) {
  constexpr std::int64_t lanes = kLanes<float>;
  Vec<float> sums[Rows * Vectors] = {};
  for (std::int64_t k = 0; k < K; k += 4) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < Vectors; ++v) {
      Vec<float> b[4];  // first four elements of k for each row, then the rows for each element
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) b[i] = load_quads(rows + v * lanes + i, k);
      transpose_groups(b);
#pragma GCC unroll 4
      for (std::int64_t row = 0; row < Rows; ++row) {
        const float* a = A.data + row * A.row + k * A.column;
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) sums[row * Vectors + v] += a[i * A.column] * b[i];
      }
    }
  }
#pragma GCC unroll 4
  for (std::int64_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < Vectors; ++v) store(C + row * stride_C + v * lanes, sums[row * Vectors + v]);
  }
}

}  // namespace micro

// C = A B^T with the bits of `multiply`, for so few rows of A that it does not pay to transpose B in memory: A is [M,
// K], B has `count` rows, and K is a multiple of 4. Writes whole vectors of C; what is beyond column `count` may be
// anything. Four rows of A share the transposed elements of B; other rows transpose them again.
template <class RowsOfB>
void multiply_transposed(std::int64_t M, std::int64_t count, std::int64_t K, Strided<float> A, const RowsOfB& B,
                         float* C, std::int64_t stride_C) {
  constexpr std::int64_t kColumns = 16, lanes = kLanes<float>;
  static_assert(kColumns % lanes == 0);
  for (std::int64_t j = 0; j < count; j += kColumns) {
    const float* rows[kColumns];
    for (std::int64_t i = 0; i < kColumns; ++i) rows[i] = B.row(std::min(j + i, count - 1));
    std::int64_t i = 0;
    const auto multiply_by_all = [&]<std::int64_t Rows>(std::integral_constant<std::int64_t, Rows>) {
      for (; i + Rows <= M; i += Rows) {
        float* to = C + i * stride_C + j;
        if (j + kColumns <= count) {
          micro::dot_tile<Rows, kColumns / lanes>(K, A.from(i), rows, to, stride_C);
          continue;
        }
        for (std::int64_t first = 0; j + first < count; first += lanes) {
          micro::dot_tile<Rows, 1>(K, A.from(i), rows + first, to + first, stride_C);
        }
      }
    };
    multiply_by_all(std::integral_constant<std::int64_t, 4>());
    multiply_by_all(std::integral_constant<std::int64_t, 1>());
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
