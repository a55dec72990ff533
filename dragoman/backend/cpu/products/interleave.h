// Packing: copies rows or columns of plain matrices into panels (tile.h says what a panel is).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "dragoman/backend/cpu/simd.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// Transposes up to Width rows into a panel [depth, Width]: packed[k * Width + i] = from[i * stride + k] for i < count
// and k < depth. Takes a few k at a time, so that the part of the panel being written stays in the cache.
template <std::int64_t Width, class T>
void interleave_rows(const T* from, std::int64_t stride, std::int64_t count, std::int64_t depth, T* packed) {
  constexpr std::int64_t kFew = 16;
  for (std::int64_t first = 0; first < depth; first += kFew) {
    const std::int64_t last = std::min(depth, first + kFew);
    std::int64_t i = 0;
    if constexpr (std::is_same_v<T, float>) {
      if constexpr (kVectorBytes >= 32) {
        for (; i + 8 <= count && last - first == kFew; i += 8) {
          for (std::int64_t k = first; k < last; k += 8) {
            transpose_eights(from + i * stride + k, stride, packed + k * Width + i, Width);
          }
        }
      }
      for (; i + 4 <= count && last - first == kFew; i += 4) {
        for (std::int64_t k = first; k < last; k += 4) {
          const T* corner = from + i * stride + k;
          transpose_quads(corner, corner + stride, corner + 2 * stride, corner + 3 * stride, packed + k * Width + i,
                          Width);
        }
      }
    }
    for (; i < count; ++i) {
      for (std::int64_t k = first; k < last; ++k) packed[k * Width + i] = from[i * stride + k];
    }
  }
}

// Splits a matrix of `depth` rows and `count` columns into panels of Width columns. Each panel is [depth, Width] and
// starts `apart` elements after the one before. Reads each row as a whole before the next, because neighbouring rows
// may lie on different pages.
template <std::int64_t Width, class T>
void split_rows(const T* from, std::int64_t stride, std::int64_t count, std::int64_t depth, std::int64_t apart,
                T* packed) {
  for (std::int64_t k = 0; k < depth; ++k) {
    const T* row = from + k * stride;
    T* to = packed + k * Width;
    std::int64_t i = 0;
    for (; i + Width <= count; i += Width, to += apart) std::memcpy(to, row + i, Width * sizeof(T));
    if (i < count) std::memcpy(to, row + i, static_cast<std::size_t>(count - i) * sizeof(T));
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
