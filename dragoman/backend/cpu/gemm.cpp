#include "dragoman/backend/cpu/gemm.h"

#include <cstring>

namespace dragoman::cpu {

namespace {

// One row of a register tile, `Vectors` wide. Named members, not an array: compilers keep these in registers.
template <class T, std::int64_t Vectors>
struct Row {
  Vec<T> x{}, y{}, z{};

  void add(T a, Vec<T> bx, Vec<T> by, Vec<T> bz) {
    x += a * bx;
    if constexpr (Vectors >= 2) y += a * by;
    if constexpr (Vectors >= 3) z += a * bz;
  }
  template <bool kAccumulate>
  void put(T* to) const {
    const auto put_one = [](T* at, Vec<T> sum) { store(at, kAccumulate ? load(at) + sum : sum); };
    put_one(to, x);
    if constexpr (Vectors >= 2) put_one(to + kLanes<T>, y);
    if constexpr (Vectors >= 3) put_one(to + 2 * kLanes<T>, z);
  }
};

// Four rows, for four neighbouring elements of a panel of A.
template <class T, std::int64_t Vectors>
struct FourRows {
  Row<T, Vectors> r0, r1, r2, r3;

  void add(const T* a, Vec<T> bx, Vec<T> by, Vec<T> bz) {
    if constexpr (kLanes<T> == 4) {  // one load, and products by lane
      const Vec<T> v = load(a);
      r0.add(v[0], bx, by, bz);
      r1.add(v[1], bx, by, bz);
      r2.add(v[2], bx, by, bz);
      r3.add(v[3], bx, by, bz);
    } else {
      r0.add(a[0], bx, by, bz);
      r1.add(a[1], bx, by, bz);
      r2.add(a[2], bx, by, bz);
      r3.add(a[3], bx, by, bz);
    }
  }
  template <bool kAccumulate>
  void put(T* to, std::int64_t stride) const {
    r0.template put<kAccumulate>(to);
    r1.template put<kAccumulate>(to + stride);
    r2.template put<kAccumulate>(to + 2 * stride);
    r3.template put<kAccumulate>(to + 3 * stride);
  }
};

// C tile = (or +=) the panels' product: A [depth, kTileRows] by the first `Vectors` vectors of B [depth, kTileCols].
template <std::int64_t Vectors, class T>
void multiply_tile(std::int64_t depth, const T* A, const T* B, T* C, std::int64_t stride, bool accumulate) {
  FourRows<T, Vectors> top, bottom;
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < depth; ++k) {
    const Vec<T> x = load(B);
    const Vec<T> y = Vectors >= 2 ? load(B + kLanes<T>) : x;
    const Vec<T> z = Vectors >= 3 ? load(B + 2 * kLanes<T>) : x;
    top.add(A, x, y, z);
    if constexpr (kTileRows == 8) bottom.add(A + 4, x, y, z);
    A += kTileRows;
    B += kTileCols<T>;
  }
  const auto put = [&]<bool kAccumulate>() {
    top.template put<kAccumulate>(C, stride);
    if constexpr (kTileRows == 8) bottom.template put<kAccumulate>(C + 4 * stride, stride);
  };
  accumulate ? put.template operator()<true>() : put.template operator()<false>();
}

// The tile that covers `cols` columns of a panel, in whole vectors.
template <class T>
void multiply_columns(std::int64_t cols, std::int64_t depth, const T* A, const T* B, T* C, std::int64_t stride,
                      bool accumulate) {
  switch (divide_up(cols, kLanes<T>)) {
    case 1: return multiply_tile<1>(depth, A, B, C, stride, accumulate);
    case 2: return multiply_tile<2>(depth, A, B, C, stride, accumulate);
    default: return multiply_tile<kTileVectors>(depth, A, B, C, stride, accumulate);
  }
}

// A tile at the right or lower edge of C is computed aside, so that only what exists is written.
template <class T>
void multiply_edge(std::int64_t depth, const T* A, const T* B, std::int64_t rows, std::int64_t cols, T* C,
                   std::int64_t stride, bool accumulate) {
  T aside[kTileRows * kTileCols<T>];
  multiply_columns(cols, depth, A, B, aside, kTileCols<T>, false);
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* from = aside + i * kTileCols<T>;
    T* to = C + i * stride;
    for (std::int64_t j = 0; j < cols; ++j) to[j] = accumulate ? to[j] + from[j] : from[j];
  }
}

// Four rows of four as four columns of four, in vectors that every instruction set has.
using Quad [[gnu::vector_size(16)]] = float;
using QuadInMemory [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]] = float;
using Lanes4 [[gnu::vector_size(16)]] = int;

void transpose_quads(const float* from, std::int64_t stride, float* to, std::int64_t stride_to) {
  const auto row = [&](std::int64_t i) -> Quad { return *reinterpret_cast<const QuadInMemory*>(from + i * stride); };
  const auto put = [&](std::int64_t i, Quad v) { *reinterpret_cast<QuadInMemory*>(to + i * stride_to) = v; };
  const Quad a = row(0), b = row(1), c = row(2), d = row(3);
  const Quad ab_low = __builtin_shuffle(a, b, Lanes4{0, 4, 1, 5}),
             ab_high = __builtin_shuffle(a, b, Lanes4{2, 6, 3, 7});
  const Quad cd_low = __builtin_shuffle(c, d, Lanes4{0, 4, 1, 5}),
             cd_high = __builtin_shuffle(c, d, Lanes4{2, 6, 3, 7});
  put(0, __builtin_shuffle(ab_low, cd_low, Lanes4{0, 1, 4, 5}));
  put(1, __builtin_shuffle(ab_low, cd_low, Lanes4{2, 3, 6, 7}));
  put(2, __builtin_shuffle(ab_high, cd_high, Lanes4{0, 1, 4, 5}));
  put(3, __builtin_shuffle(ab_high, cd_high, Lanes4{2, 3, 6, 7}));
}

// A panel of Width columns from as many rows: packed[k * Width + i] = from[i * stride + k] for i < count, k < depth,
// and zero for the rest. A few k at a time, so that the part of the panel being written stays in the cache.
template <std::int64_t Width, class T>
void interleave_rows(const T* from, std::int64_t stride, std::int64_t count, std::int64_t depth, T* packed) {
  constexpr std::int64_t kFew = 16;
  for (std::int64_t first = 0; first < depth; first += kFew) {
    const std::int64_t last = std::min(depth, first + kFew);
    std::int64_t i = 0;
    if constexpr (std::is_same_v<T, float>) {
      for (; i + 4 <= count && last - first == kFew; i += 4) {
        for (std::int64_t k = first; k < last; k += 4) {
          transpose_quads(from + i * stride + k, stride, packed + k * Width + i, Width);
        }
      }
    }
    for (; i < Width; ++i) {
      for (std::int64_t k = first; k < last; ++k) packed[k * Width + i] = i < count ? from[i * stride + k] : T{0};
    }
  }
}

// Panels of Width columns, each [depth, Width] and `apart` elements after the one before, from rows that hold `count`
// columns: zeros beyond. Whole rows are read in turn, because neighbouring rows may lie on different pages.
template <std::int64_t Width, class T>
void split_rows(const T* from, std::int64_t stride, std::int64_t count, std::int64_t depth, std::int64_t apart,
                T* packed) {
  for (std::int64_t k = 0; k < depth; ++k) {
    const T* row = from + k * stride;
    T* to = packed + k * Width;
    std::int64_t i = 0;
    for (; i + Width <= count; i += Width, to += apart) std::memcpy(to, row + i, Width * sizeof(T));
    if (i == count) continue;
    for (std::int64_t c = 0; c < Width; ++c) to[c] = i + c < count ? row[i + c] : T{0};
  }
}

}  // namespace

template <class T>
void pack_B(const Product<T>& p, std::int64_t group, T* packed) {
  constexpr std::int64_t width = kTileCols<T>;
  const std::int64_t begin = group * kPanelGroup, end = std::min(panels_of_B(p), begin + kPanelGroup);
  const std::int64_t apart = panel_stride(p.K, width);
  T* to = packed + begin * apart;
  if (!p.transposed_B) {
    const std::int64_t columns = std::min(p.N, end * width) - begin * width;
    return split_rows<width>(p.B.data + begin * width, p.B.stride, columns, p.K, apart, to);
  }
  for (std::int64_t panel = begin; panel < end; ++panel, to += apart) {
    const std::int64_t first = panel * width;
    interleave_rows<width>(p.B.row(first), p.B.stride, std::min(width, p.N - first), p.K, to);
  }
}

namespace {

// The rows of a block as panels of kTileRows, each [depth, kTileRows].
template <class T>
void pack_A(const Product<T>& p, const Extent& e, std::int64_t k, std::int64_t depth, T* packed) {
  const std::int64_t apart = panel_stride(depth, kTileRows);
  if (p.transposed_A) {
    return split_rows<kTileRows>(p.A.row(k) + e.top, p.A.stride, e.rows, depth, apart, packed);
  }
  for (std::int64_t i = 0; i < e.rows; i += kTileRows, packed += apart) {
    const std::int64_t count = std::min(kTileRows, e.rows - i);
    interleave_rows<kTileRows>(p.A.row(e.top + i) + k, p.A.stride, count, depth, packed);
  }
}

}  // namespace

template <class T>
void multiply_block(const Product<T>& p, const T* packed_B, const Extent& e, Matrix<T> C, bool accumulate) {
  alignas(kVectorBytes) T packed_A[kBlockRows / kTileRows * panel_stride(kDepth, kTileRows)];
  if (p.K == 0 && !accumulate) {
    for (std::int64_t i = 0; i < e.rows; ++i) std::fill_n(C.row(e.top + i) + e.left, e.cols, T{0});
  }
  for (std::int64_t k = 0; k < p.K; k += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.K - k);
    pack_A(p, e, k, depth, packed_A);
    for (std::int64_t j = 0; j < e.cols; j += kTileCols<T>) {
      const T* B = packed_B + (e.left + j) / kTileCols<T> * panel_stride(p.K, kTileCols<T>) + k * kTileCols<T>;
      const std::int64_t cols = std::min(kTileCols<T>, e.cols - j);
      const T* A = packed_A;
      for (std::int64_t i = 0; i < e.rows; i += kTileRows, A += panel_stride(depth, kTileRows)) {
        const std::int64_t rows = std::min(kTileRows, e.rows - i);
        T* to = C.row(e.top + i) + e.left + j;
        if (rows == kTileRows && cols % kLanes<T> == 0) {
          multiply_columns(cols, depth, A, B, to, C.stride, accumulate || k > 0);
        } else {
          multiply_edge(depth, A, B, rows, cols, to, C.stride, accumulate || k > 0);
        }
      }
    }
  }
}

template void pack_B(const Product<float>&, std::int64_t, float*);
template void pack_B(const Product<double>&, std::int64_t, double*);
template void multiply_block(const Product<float>&, const float*, const Extent&, Matrix<float>, bool);
template void multiply_block(const Product<double>&, const double*, const Extent&, Matrix<double>, bool);

}  // namespace dragoman::cpu
