// A small matrix product for attention, which reads its operands in place and packs nothing. Every sum runs along k in
// order, one product at a time. So the bits of a row of C depend on that row of A and on B alone, never on the number
// of rows or columns that are computed together.
#pragma once

#include <cstdint>

#include "dragoman/backend/cpu/simd.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// A matrix with two strides: element (i, k) is data[i * row + k * column]. It can be a matrix, its transpose, or a part
// of either.
template <class T>
struct Strided {
  const T* data;
  std::int64_t row, column;

  Strided from(std::int64_t i) const { return {data + i * row, row, column}; }
};

namespace micro {

// A tile of C in registers: `Rows` rows by `Vectors` vectors.
template <class T, std::int64_t Rows, std::int64_t Vectors>
inline void tile(std::int64_t K, Strided<T> A, const T* B, std::int64_t stride_B, T* C, std::int64_t stride_C,
                 bool accumulate) {
  // Registers, because all loops over them are unrolled.
  Vec<T> sums[Rows * Vectors] = {}, b[Vectors];
  const T* a = A.data;
  for (std::int64_t k = 0; k < K; ++k, a += A.column, B += stride_B) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < Vectors; ++v) b[v] = load(B + v * kLanes<T>);
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
      T* to = C + row * stride_C + v * kLanes<T>;
      const Vec<T> sum = sums[row * Vectors + v];
      store(to, accumulate ? load(to) + sum : sum);
    }
  }
}

// `Vectors` vectors of C, from top to bottom, in tiles of `Rows` rows, and of one row for the rest.
template <class T, std::int64_t Rows, std::int64_t Vectors>
inline void tiles(std::int64_t M, std::int64_t K, Strided<T> A, const T* B, std::int64_t stride_B, T* C,
                  std::int64_t stride_C, bool accumulate) {
  std::int64_t i = 0;
  for (; i + Rows <= M; i += Rows) {
    tile<T, Rows, Vectors>(K, A.from(i), B, stride_B, C + i * stride_C, stride_C, accumulate);
  }
  for (; i < M; ++i) tile<T, 1, Vectors>(K, A.from(i), B, stride_B, C + i * stride_C, stride_C, accumulate);
}

// A tile of C: one row by one vector, of which only the first `lanes` lanes exist.
template <class T>
inline void narrow_tile(std::int64_t K, Strided<T> A, const T* B, std::int64_t stride_B, T* C, std::int64_t lanes,
                        bool accumulate) {
  Vec<T> sum{};
  for (std::int64_t k = 0; k < K; ++k, B += stride_B) sum += A.data[k * A.column] * load_some(B, lanes);
  store_some(C, accumulate ? load_some(C, lanes) + sum : sum, lanes);
}

}  // namespace micro

// C = A B, or C += A B if it accumulates, for A [M, K], B [K, N] and C [M, N]. The rows of B and C are contiguous.
template <class T>
void multiply(std::int64_t M, std::int64_t N, std::int64_t K, Strided<T> A, const T* B, std::int64_t stride_B, T* C,
              std::int64_t stride_C, bool accumulate) {
  // Each addition to a sum waits for the one before it, so narrow tiles have more rows: about as many sums as wide
  // ones.
  constexpr std::int64_t lanes = kLanes<T>;
  std::int64_t j = 0;
  for (; j + 4 * lanes <= N; j += 4 * lanes) {
    micro::tiles<T, 4, 4>(M, K, A, B + j, stride_B, C + j, stride_C, accumulate);
  }
  for (; j + 2 * lanes <= N; j += 2 * lanes) {
    micro::tiles<T, 4, 2>(M, K, A, B + j, stride_B, C + j, stride_C, accumulate);
  }
  for (; j + lanes <= N; j += lanes) micro::tiles<T, 8, 1>(M, K, A, B + j, stride_B, C + j, stride_C, accumulate);
  for (std::int64_t i = 0; i < M && j < N; ++i) {
    micro::narrow_tile<T>(K, A.from(i), B + j, stride_B, C + i * stride_C + j, N - j, accumulate);
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
