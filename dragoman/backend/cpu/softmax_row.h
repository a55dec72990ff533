// Softmax of one row, which several families of kernels share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

#include "dragoman/backend/cpu/simd.h"

namespace dragoman::cpu {

template <class T>
inline constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();

template <class T>
T row_maximum(const T* x, std::int64_t n) {
  return n > 0 ? max_of(x, n) : kMinusInfinity<T>;
}

// y may be x. A row that is all -infinity gives zeros.
template <class T>
void softmax_row(const T* x, std::int64_t n, T* y) {
  const T maximum = row_maximum(x, n);
  const auto exponential = [maximum](Vec<T> v) { return exp(v - maximum); };
  if (maximum == kMinusInfinity<T>) {
    std::fill_n(y, n, T{0});
    return;
  }
  map_vectors(n, y, exponential, x);
  const T scale = 1 / sum_vectors<T>(n, std::identity(), y);
  const auto scaled = [scale](Vec<T> v) { return v * scale; };
  map_vectors(n, y, scaled, y);
}

}  // namespace dragoman::cpu
