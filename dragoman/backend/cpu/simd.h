// Vectors of float and double, as wide as the build's instruction set has them. They use the compiler's vector types,
// so kernels are written once for NEON, AVX2 and AVX-512.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

// Registers for vectors.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int kRegisters = 32;
#else
inline constexpr int kRegisters = 16;
#endif

template <class T, int Bytes = kVectorBytes>
struct VecOf {
  using Type [[gnu::vector_size(Bytes)]] = T;
  // The same type for memory at any address. (With memcpy instead, the compiler uses registers badly.)
  using InMemory [[gnu::vector_size(Bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};
template <class T>
using Vec = typename VecOf<T>::Type;

// Elements of T in a vector.
template <class T>
inline constexpr std::int64_t kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
inline Vec<T> load(const T* from) {
  return *reinterpret_cast<const typename VecOf<T>::InMemory*>(from);
}
template <class T>
inline void store(T* to, Vec<T> v) {
  *reinterpret_cast<typename VecOf<T>::InMemory*>(to) = v;
}
// Loads the first `count` lanes, and sets the others to `rest`. AVX-512 has masked instructions for this, which are
// faster than a copy through memory.
template <class T>
inline Vec<T> load_some(const T* from, std::int64_t count, T rest = T{0}) {
  Vec<T> v = Vec<T>{} + rest;
#if defined(__AVX512F__)
  const std::uint32_t mask = (1u << count) - 1;
  if constexpr (std::is_same_v<T, float>) {
    return _mm512_mask_loadu_ps(v, static_cast<__mmask16>(mask), from);
  } else if constexpr (std::is_same_v<T, double>) {
    return _mm512_mask_loadu_pd(v, static_cast<__mmask8>(mask), from);
  }
#endif
  std::memcpy(&v, from, static_cast<std::size_t>(count) * sizeof(T));
  return v;
}
template <class T>
inline void store_some(T* to, Vec<T> v, std::int64_t count) {
#if defined(__AVX512F__)
  const std::uint32_t mask = (1u << count) - 1;
  if constexpr (std::is_same_v<T, float>) {
    return _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), v);
  } else if constexpr (std::is_same_v<T, double>) {
    return _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), v);
  }
#endif
  std::memcpy(to, &v, static_cast<std::size_t>(count) * sizeof(T));
}
template <class T>
inline Vec<T> broadcast(std::type_identity_t<T> value) {
  return Vec<T>{} + value;
}

// The numbers of a vector's lanes, beginning with `first`; after the last lane comes lane 0.
template <class T>
inline auto lane_numbers(int first) {
  Vec<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>> numbers;
  for (int i = 0; i < kLanes<T>; ++i) numbers[i] = (first + i) % static_cast<int>(kLanes<T>);
  return numbers;
}
// The first `count` lanes of v, and zeros.
template <class T>
inline Vec<T> first_lanes(Vec<T> v, std::int64_t count) {
  return lane_numbers<T>(0) < static_cast<int>(count) ? v : Vec<T>{};
}
// Combines the lower half of the lanes with the upper half, then the lower quarter with the upper one, and so on.
template <class T, int Half = static_cast<int>(kLanes<T>) / 2, class Combine>
inline T combine_lanes(Vec<T> v, const Combine& combine) {
  if constexpr (Half == 0) {
    return v[0];
  } else {
    return combine_lanes<T, Half / 2>(combine(v, __builtin_shuffle(v, lane_numbers<T>(Half))), combine);
  }
}
template <class T>
inline T sum_lanes(Vec<T> v) {
  return combine_lanes<T>(v, [](Vec<T> low, Vec<T> high) { return low + high; });
}
template <class T>
inline T max_lanes(Vec<T> v) {
  return combine_lanes<T>(v, [](Vec<T> low, Vec<T> high) { return low > high ? low : high; });
}
template <class T>
inline Vec<T> max(Vec<T> a, Vec<T> b) {
  return a > b ? a : b;
}
// The largest of `count` elements; requires count >= 1. Four running maxima hide the latency of a comparison.
template <class T>
inline T max_of(const T* x, std::int64_t count) {
  Vec<T> largest[4];
  std::fill_n(largest, 4, broadcast<T>(x[0]));
  std::int64_t i = 0;
  for (; i + 4 * kLanes<T> <= count; i += 4 * kLanes<T>) {
    for (std::int64_t j = 0; j < 4; ++j) largest[j] = max<T>(largest[j], load(x + i + j * kLanes<T>));
  }
  for (; i + kLanes<T> <= count; i += kLanes<T>) largest[0] = max<T>(largest[0], load(x + i));
  if (i < count) largest[1] = max<T>(largest[1], load_some(x + i, count - i, x[0]));
  return max_lanes<T>(max<T>(max<T>(largest[0], largest[1]), max<T>(largest[2], largest[3])));
}

// a where the mask is set, else b. (With ?: gcc may reverse a comparison, which costs five instructions.)
inline Vec<float> select(Vec<std::int32_t> mask, Vec<float> a, Vec<float> b) {
  using Bits = Vec<std::int32_t>;
  return std::bit_cast<Vec<float>>((mask & std::bit_cast<Bits>(a)) | (~mask & std::bit_cast<Bits>(b)));
}

// Calls full(i) for each whole vector of [0, count) and, if `left` elements remain, part(i, left).
template <class T, class Full, class Part>
inline void for_lanes(std::int64_t count, const Full& full, const Part& part) {
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) full(i);
  if (i < count) part(i, count - i);
}

template <class T>
inline Vec<T> sqrt(Vec<T> v) {
  T lane[kLanes<T>];
  store(lane, v);
  for (std::int64_t i = 0; i < kLanes<T>; ++i) lane[i] = std::sqrt(lane[i]);
  return load(lane);
}

// y[i] = f(x[i]...) for every i < count, where f takes and returns vectors. y may be one of the x.
template <class T, class F, class... X>
inline void map_vectors(std::int64_t count, T* y, const F& f, const X*... x) {
  for_lanes<T>(
      count, [&](std::int64_t i) { store(y + i, f(load(x + i)...)); },
      [&](std::int64_t i, std::int64_t left) { store_some(y + i, f(load_some(x + i, left)...), left); });
}

// The sum of f(x[i]...) over every i < count, where f takes and returns vectors. Four running sums hide the latency of
// an addition.
template <class T, class F, class... X>
inline T sum_vectors(std::int64_t count, const F& f, const X*... x) {
  Vec<T> sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes<T> <= count; i += 4 * kLanes<T>) {
    for (std::int64_t j = 0; j < 4; ++j) sums[j] += f(load(x + i + j * kLanes<T>)...);
  }
  for (; i + kLanes<T> <= count; i += kLanes<T>) sums[0] += f(load(x + i)...);
  if (i < count) sums[1] += first_lanes<T>(f(load_some(x + i, count - i)...), count - i);
  return sum_lanes<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// A mask for shuffles of two vectors of floats. It takes the same four lanes from every group of four: i, j, k and l,
// which are 0 to 3 in the first vector and 4 to 7 in the second.
template <int Bytes>
inline auto in_groups(int i, int j, int k, int l) {
  constexpr int kCount = Bytes / 4;
  const int lanes[4] = {i, j, k, l};
  typename VecOf<std::int32_t, Bytes>::Type mask;
  for (int lane = 0; lane < kCount; ++lane) {
    const int from = lanes[lane % 4];
    mask[lane] = lane / 4 * 4 + from % 4 + from / 4 * kCount;
  }
  return mask;
}

// Transposes 4 by 4 matrices of floats, one in every group of four lanes: lane i of a group of rows[j] becomes lane j
// of that group of rows[i].
template <class Rows>
inline void transpose_groups(Rows (&rows)[4]) {
  constexpr int kBytes = sizeof(Rows);
  const Rows ab_low = __builtin_shuffle(rows[0], rows[1], in_groups<kBytes>(0, 4, 1, 5)),
             ab_high = __builtin_shuffle(rows[0], rows[1], in_groups<kBytes>(2, 6, 3, 7)),
             cd_low = __builtin_shuffle(rows[2], rows[3], in_groups<kBytes>(0, 4, 1, 5)),
             cd_high = __builtin_shuffle(rows[2], rows[3], in_groups<kBytes>(2, 6, 3, 7));
  rows[0] = __builtin_shuffle(ab_low, cd_low, in_groups<kBytes>(0, 1, 4, 5));
  rows[1] = __builtin_shuffle(ab_low, cd_low, in_groups<kBytes>(2, 3, 6, 7));
  rows[2] = __builtin_shuffle(ab_high, cd_high, in_groups<kBytes>(0, 1, 4, 5));
  rows[3] = __builtin_shuffle(ab_high, cd_high, in_groups<kBytes>(2, 3, 6, 7));
}

// Vectors of 16 bytes, which every instruction set has.
using Quad = VecOf<float, 16>;

// The elements k, ..., k + 3 of rows[0], then those of rows[4], rows[8] and so on, until the vector is full.
template <int Bytes = kVectorBytes>
inline auto load_quads(const float* const* rows, std::int64_t k) {
  if constexpr (Bytes == 16) {
    return static_cast<Quad::Type>(*reinterpret_cast<const Quad::InMemory*>(rows[0] + k));
  } else {
    const auto low = load_quads<Bytes / 2>(rows, k), high = load_quads<Bytes / 2>(rows + Bytes / 8, k);
    return [&]<int... lane>(std::integer_sequence<int, lane...>) { return __builtin_shufflevector(low, high, lane...); }
    (std::make_integer_sequence<int, Bytes / 4>());
  }
}

// Transposes a 4 by 4 matrix of floats. Row i of the result is row_a[i], row_b[i], row_c[i], row_d[i]; it starts at
// to + i * stride_to.
inline void transpose_quads(const float* row_a, const float* row_b, const float* row_c, const float* row_d, float* to,
                            std::int64_t stride_to) {
  const float* const from[4] = {row_a, row_b, row_c, row_d};
  Quad::Type rows[4];
  for (int i = 0; i < 4; ++i) rows[i] = load_quads<16>(from + i, 0);
  transpose_groups(rows);
  for (int i = 0; i < 4; ++i) *reinterpret_cast<Quad::InMemory*>(to + i * stride_to) = rows[i];
}

// Transposes an 8 by 8 matrix of floats, whose rows are `stride` apart, with vectors of 32 bytes. Each of the three
// stages takes pairs of vectors and exchanges elements, pairs of elements, or halves between the two.
inline void transpose_eights(const float* from, std::int64_t stride, float* to, std::int64_t stride_to) {
  using Eight = VecOf<float, 32>::Type;
  using EightInMemory = VecOf<float, 32>::InMemory;
  using Lanes8 = VecOf<std::int32_t, 32>::Type;
  Eight rows[8], ones[8], twos[8];
  for (int i = 0; i < 8; ++i) rows[i] = *reinterpret_cast<const EightInMemory*>(from + i * stride);
  for (int i = 0; i < 8; i += 2) {
    ones[i] = __builtin_shuffle(rows[i], rows[i + 1], Lanes8{0, 8, 1, 9, 4, 12, 5, 13});
    ones[i + 1] = __builtin_shuffle(rows[i], rows[i + 1], Lanes8{2, 10, 3, 11, 6, 14, 7, 15});
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {  // twos[i + c] holds column c, and column c + 4 in its upper half
      twos[i + 2 * j] = __builtin_shuffle(ones[i + j], ones[i + j + 2], Lanes8{0, 1, 8, 9, 4, 5, 12, 13});
      twos[i + 2 * j + 1] = __builtin_shuffle(ones[i + j], ones[i + j + 2], Lanes8{2, 3, 10, 11, 6, 7, 14, 15});
    }
  }
  for (int c = 0; c < 4; ++c) {
    const Eight low = __builtin_shuffle(twos[c], twos[c + 4], Lanes8{0, 1, 2, 3, 8, 9, 10, 11});
    const Eight high = __builtin_shuffle(twos[c], twos[c + 4], Lanes8{4, 5, 6, 7, 12, 13, 14, 15});
    *reinterpret_cast<EightInMemory*>(to + c * stride_to) = low;
    *reinterpret_cast<EightInMemory*>(to + (c + 4) * stride_to) = high;
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
