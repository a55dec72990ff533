// Runs of neighbouring elements that are loaded and stored at once, for kernels that treat every element alike.
#pragma once

#include <cstdint>
#include <type_traits>

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

// kCount neighbouring elements, 16 bytes at most.
template <class T, int kCount>
struct alignas(kCount * sizeof(T)) Run {
  static_assert(kCount * sizeof(T) <= 16);
  T at[kCount];
};
template <int kCount, class T>
__device__ Run<T, kCount> run_at(const T* place) {
  return *reinterpret_cast<const Run<T, kCount>*>(place);
}

// Calls f.operator()<T>() with T = float, bf16 or double.
template <class F>
void dispatch_any(DType dtype, const F& f) {
  if (dtype == DType::kFloat64) return f.template operator()<double>();
  dispatch(dtype, f);
}

template <class To, class From>
__device__ To converted(From x) {
  if constexpr (std::is_same_v<From, bf16>) {
    return converted<To>(to_float(x));
  } else if constexpr (std::is_same_v<To, bf16>) {
    return from_float<bf16>(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

// The type in which kernels compute with elements of type T.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Whether there are no gaps between the rows, so that the matrix can be read as one long row.
template <class T>
bool flat(const Matrix<T>& x) {
  return x.stride == x.cols || x.rows <= 1;
}
template <class T>
Matrix<T> flattened(const Matrix<T>& x) {
  return {x.data, 1, x.rows * x.cols, x.rows * x.cols};
}
// Whether the whole matrix can be read as runs of kCount elements.
template <int kCount, class T>
bool in_runs(const Matrix<T>& x) {
  return x.cols % kCount == 0 && (x.stride % kCount == 0 || x.rows <= 1) &&
         reinterpret_cast<std::uintptr_t>(x.data) % (kCount * sizeof(T)) == 0;
}

}  // namespace dragoman::cuda
