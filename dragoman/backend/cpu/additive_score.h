// The additive score v . tanh(q + k) of a query and a key, and its gradient.
#pragma once

#include <cstdint>

#include "dragoman/backend/cpu/functions.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

template <class T>
T additive_score(const T* q, const T* k, const T* v, std::int64_t a) {
  return sum_vectors<T>(
      a, [](Vec<T> x, Vec<T> y, Vec<T> weight) { return weight * tanh(x + y); }, q, k, v);
}

// The gradient of the additive scores of one query, where `d` is the gradient of v . tanh(q + k). Computes T =
// tanh(q + k) once and adds d T to dv and d v (1 - T^2) to dq and dk. Each of these is null if it is not wanted.
template <class T>
struct AdditiveScore {
  const T *q, *v;
  std::int64_t a;
  T *dq, *dv;

  void backward(T d, const T* k, T* dk) const {
    const auto add = [&](std::int64_t i, Vec<T> hidden, Vec<T> weight, const auto& add_to) {
      const Vec<T> d_hidden = d * weight * (1 - hidden * hidden);
      if (dv != nullptr) add_to(dv + i, d * hidden);
      if (dq != nullptr) add_to(dq + i, d_hidden);
      if (dk != nullptr) add_to(dk + i, d_hidden);
    };
    for_lanes<T>(
        a,
        [&](std::int64_t i) {
          add(i, tanh(load(q + i) + load(k + i)), load(v + i), [](T* to, Vec<T> x) { store<T>(to, load(to) + x); });
        },
        [&](std::int64_t i, std::int64_t left) {
          add(i, tanh(load_some(q + i, left) + load_some(k + i, left)), load_some(v + i, left),
              [left](T* to, Vec<T> x) { store_some<T>(to, load_some(to, left) + x, left); });
        });
  }
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
