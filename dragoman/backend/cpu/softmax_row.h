// Softmax of one row, which several families of kernels share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "dragoman/backend/cpu/functions.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

template <class T>
inline constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();

template <class T>
T row_maximum(const T* x, std::int64_t n) {
  return n > 0 ? max_of(x, n) : kMinusInfinity<T>;
}

// y may be x. A row that is all -infinity gives zeros. Returns the logarithm of the sum of exp(x), or -infinity.
template <class T>
T softmax_row(const T* x, std::int64_t n, T* y) {
  const T maximum = row_maximum(x, n);
  const auto exponential = [maximum](Vec<T> v) { return exp(v - maximum); };
  if (maximum == kMinusInfinity<T>) {
    std::fill_n(y, n, T{0});
    return maximum;
  }
  map_vectors(n, y, exponential, x);
  const T sum = sum_vectors<T>(n, std::identity(), y), scale = 1 / sum;
  const auto scaled = [scale](Vec<T> v) { return v * scale; };
  map_vectors(n, y, scaled, y);
  return maximum + std::log(sum);
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
