// What the kernels of soft and of hard attention over a memory share: the rows of the memory that belong to one query,
// and the weighted mean of values with its gradient.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>

#include "dragoman/backend/attention.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// The keys of each row of the queries.
struct KeysOfRows {
  const std::int32_t *first, *count;

  explicit KeysOfRows(const MemoryRows& memory)
      : first(memory.first.data<std::int32_t>()), count(memory.count.data<std::int32_t>()) {}

  // The memory rows of the keys of row r.
  template <class T>
  Matrix<T> of(std::int64_t r, const Matrix<T>& memory) const {
    assert(first[r] >= 0 && first[r] + count[r] <= memory.rows && "the keys of a row lie in the memory");
    return {memory.row(first[r]), count[r], memory.cols, memory.stride};
  }
};

// Rows of a matrix in scattered places: row i is row numbers[i] of it.
template <class T>
struct ScatteredRows {
  T* data;
  std::int64_t rows, cols, stride;
  const std::int32_t* numbers;

  T* row(std::int64_t i) const { return data + numbers[i] * stride; }
};

// y += sum of weights[j] times row j of x. Takes four rows at a time, so that y is read and written less often. Rows is
// Matrix or ScatteredRows.
template <class T, class Rows>
void add_weighted_rows(const T* weights, const Rows& x, T* y) {
  std::int64_t j = 0;
  for (; j + 4 <= x.rows; j += 4) {
    const T w0 = weights[j], w1 = weights[j + 1], w2 = weights[j + 2], w3 = weights[j + 3];
    const auto add = [=](Vec<T> sum, Vec<T> a, Vec<T> b, Vec<T> c, Vec<T> d) {
      return sum + ((w0 * a + w1 * b) + (w2 * c + w3 * d));
    };
    map_vectors(x.cols, y, add, y, x.row(j), x.row(j + 1), x.row(j + 2), x.row(j + 3));
  }
  for (; j < x.rows; ++j) {
    const auto add = [w = weights[j]](Vec<T> sum, Vec<T> a) { return sum + w * a; };
    map_vectors(x.cols, y, add, y, x.row(j));
  }
}

// y = sum of weights[j] times row j of x.
template <class T, class Rows>
void mix_rows(const T* weights, const Rows& x, T* y) {
  std::fill_n(y, x.cols, T{0});
  add_weighted_rows(weights, x, y);
}

template <class T>
T dot(const T* a, const T* b, std::int64_t d) {
  return sum_vectors<T>(d, std::multiplies<>(), a, b);
}

// y += alpha x.
template <class T>
void add_scaled(T alpha, const T* x, std::int64_t d, T* y) {
  const auto add = [alpha](Vec<T> sum, Vec<T> v) { return sum + alpha * v; };
  map_vectors(d, y, add, y, x);
}

// The array of a sink as a matrix whose data is null if the gradient is not wanted.
template <class T>
Matrix<T> sink_matrix(const Sink& sink) {
  return sink.wanted() ? matrix<T>(sink.array) : Matrix<T>{};
}
// The gradients of the keys of row r, or null.
template <class T>
Matrix<T> sink_rows(const KeysOfRows& keys, std::int64_t r, const Matrix<T>& gradients) {
  return gradients.data == nullptr ? gradients : keys.of(r, gradients);
}

// A sink for the gradients of the weights. put() writes those of one row: value(j) for its keys, 0 for the columns
// after them.
template <class T>
struct WeightGradients {
  Matrix<T> rows;
  bool accumulates;

  explicit WeightGradients(const Sink& sink) : rows(sink_matrix<T>(sink)), accumulates(sink.accumulates()) {}

  bool wanted() const { return rows.data != nullptr; }
  template <class Value>
  void put(std::int64_t r, std::int64_t keys, const Value& value) const {
    T* row = rows.row(r);
    for (std::int64_t j = 0; j < keys; ++j) row[j] = accumulates ? row[j] + value(j) : value(j);
    if (!accumulates) std::fill(row + keys, row + rows.cols, T{0});
  }
};

// The gradient of mix_rows for row r. V has the values of its keys, and dV their gradients, which are added to.
template <class T>
void mix_rows_backward(std::int64_t r, const T* dO, const T* weights, const Matrix<T>& V,
                       const WeightGradients<T>& d_weights, const Matrix<T>& dV) {
  if (d_weights.wanted()) d_weights.put(r, V.rows, [&](std::int64_t j) { return dot(dO, V.row(j), V.cols); });
  if (dV.data == nullptr) return;
  for (std::int64_t j = 0; j < V.rows; ++j) add_scaled(weights[j], dO, V.cols, dV.row(j));
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
