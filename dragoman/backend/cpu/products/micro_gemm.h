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

// One row of a tile of C, four vectors wide, in registers.
template <class T>
struct Row {
  Vec<T> w{}, x{}, y{}, z{};

  void add(T a, Vec<T> bw, Vec<T> bx, Vec<T> by, Vec<T> bz) {
    w += a * bw;
    x += a * bx;
    y += a * by;
    z += a * bz;
  }
  void put(T* to, bool accumulate) const {
    const auto put_one = [&](T* at, Vec<T> sum) { store(at, accumulate ? load(at) + sum : sum); };
    put_one(to, w);
    put_one(to + kLanes<T>, x);
    put_one(to + 2 * kLanes<T>, y);
    put_one(to + 3 * kLanes<T>, z);
  }
};

// A tile of C: `Rows` (1 or 4) rows by four vectors.
template <class T, int Rows>
inline void wide_tile(std::int64_t K, Strided<T> A, const T* B, std::int64_t stride_B, T* C, std::int64_t stride_C,
                      bool accumulate) {
  Row<T> r0, r1, r2, r3;
  const T* a = A.data;
  for (std::int64_t k = 0; k < K; ++k, a += A.column, B += stride_B) {
    const Vec<T> w = load(B), x = load(B + kLanes<T>), y = load(B + 2 * kLanes<T>), z = load(B + 3 * kLanes<T>);
    r0.add(a[0], w, x, y, z);
    if constexpr (Rows == 4) {
      r1.add(a[A.row], w, x, y, z);
      r2.add(a[2 * A.row], w, x, y, z);
      r3.add(a[3 * A.row], w, x, y, z);
    }
  }
  r0.put(C, accumulate);
  if constexpr (Rows == 4) {
    r1.put(C + stride_C, accumulate);
    r2.put(C + 2 * stride_C, accumulate);
    r3.put(C + 3 * stride_C, accumulate);
  }
}

// A tile of C: one row by one vector, of which only the first `lanes` lanes exist.
template <class T>
inline void narrow_tile(std::int64_t K, Strided<T> A, const T* B, std::int64_t stride_B, T* C, std::int64_t lanes,
                        bool accumulate) {
  const bool whole = lanes == kLanes<T>;
  Vec<T> sum{};
  for (std::int64_t k = 0; k < K; ++k, B += stride_B) {
    sum += A.data[k * A.column] * (whole ? load(B) : load_some(B, lanes));
  }
  if (accumulate) sum = (whole ? load(C) : load_some(C, lanes)) + sum;
  whole ? store(C, sum) : store_some(C, sum, lanes);
}

}  // namespace micro

// C = A B, or C += A B if it accumulates, for A [M, K], B [K, N] and C [M, N]. The rows of B and C are contiguous.
template <class T>
void multiply(std::int64_t M, std::int64_t N, std::int64_t K, Strided<T> A, const T* B, std::int64_t stride_B, T* C,
              std::int64_t stride_C, bool accumulate) {
  constexpr std::int64_t width = 4 * kLanes<T>;
  std::int64_t j = 0;
  for (; j + width <= N; j += width) {
    std::int64_t i = 0;
    for (; i + 4 <= M; i += 4) {
      micro::wide_tile<T, 4>(K, A.from(i), B + j, stride_B, C + i * stride_C + j, stride_C, accumulate);
    }
    for (; i < M; ++i) {
      micro::wide_tile<T, 1>(K, A.from(i), B + j, stride_B, C + i * stride_C + j, stride_C, accumulate);
    }
  }
  for (; j < N; j += kLanes<T>) {
    const std::int64_t lanes = std::min(kLanes<T>, N - j);
    for (std::int64_t i = 0; i < M; ++i) {
      micro::narrow_tile<T>(K, A.from(i), B + j, stride_B, C + i * stride_C + j, lanes, accumulate);
    }
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
