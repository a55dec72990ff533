// Common parts of all CPU kernels: typed matrices, dispatch on the element type, blocks of rows, and dropout masks.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/cpu/simd.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"
#include "dragoman/base/error.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// An Array as rows of elements of type T.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;

  T* row(std::int64_t r) const { return data + r * stride; }
};

template <class T>
Matrix<T> matrix(const Array& x) {
  return {x.data<T>(), x.rows(), x.cols(), x.row_stride()};
}

// A matrix with two strides: element (i, k) is data[i * row + k * column]. It can be a matrix, its transpose, or a part
// of either.
template <class T>
struct Strided {
  const T* data;
  std::int64_t row, column;

  Strided from(std::int64_t i) const { return {data + i * row, row, column}; }
};

// Calls f.operator()<T>() with the C++ type of a floating-point element type.
template <class F>
void dispatch(DType dtype, const F& f) {
  switch (dtype) {
    case DType::kFloat32: return f.template operator()<float>();
    case DType::kFloat64: return f.template operator()<double>();
    default: throw ShapeError(join("CPU kernels compute in float32 or float64, not in ", dtype));
  }
}

// Throws ShapeError unless every array that is not absent has elements of type T. Pieces of work must not throw, so
// kernels check this before they launch.
template <class T>
void expect_elements(std::initializer_list<const Array*> arrays) {
  for (const Array* x : arrays) {
    if (*x) x->data<T>();
  }
}

// Throws ShapeError unless all ids are in [lowest, limit).
inline void expect_ids(const Array& ids, std::int64_t lowest, std::int64_t limit, const char* op) {
  const std::int32_t* id = ids.data<std::int32_t>();
  for (std::int64_t i = 0; i < ids.count(); ++i) {
    require<ShapeError>(id[i] >= lowest && id[i] < limit, op, ": there is no token ", id[i], "; the table has ", limit,
                        " rows");
  }
}

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Calls body(memory) with memory for `Count` elements on the stack. This is a function of its own because some
// compilers touch every page of a frame (-fstack-clash-protection): callers pay for a large frame only where they need
// it.
template <class T, std::int64_t Count, class Body>
[[gnu::noinline]] void on_stack(const Body& body) {
  alignas(kVectorBytes) T memory[Count];
  body(memory);
}

// Kernels split rows into blocks of this many for the thread team, so the partition depends on shapes alone.
inline constexpr std::int64_t kRowBlock = 32;

// Calls body(row) for each row of a block.
template <class Body>
void for_rows(std::int64_t rows, std::int64_t block, const Body& body) {
  const std::int64_t last = std::min(rows, (block + 1) * kRowBlock);
  for (std::int64_t r = block * kRowBlock; r < last; ++r) body(r);
}

// Dropout factors of one row: factors[i] is 0 or the dropout's scale, for channel first + i. Requires that `first` is a
// multiple of 8 and that count is at most kDropoutChannels.
inline constexpr std::int64_t kDropoutChannels = 256;
template <class T>
void dropout_factors(const Dropout& dropout, std::int32_t sentence, std::int32_t position, std::int64_t first,
                     std::int64_t count, T* factors);

// values[i] *= the factor of channel first + i, for any first and count.
template <class T>
void drop(const Dropout& dropout, std::int32_t sentence, std::int32_t position, std::int64_t first, std::int64_t count,
          T* values) {
  T factors[kDropoutChannels];
  const std::int64_t end = first + count;
  for (std::int64_t start = first / 8 * 8; start < end; start += kDropoutChannels) {
    dropout_factors(dropout, sentence, position, start, std::min(kDropoutChannels, end - start), factors);
    const std::int64_t from = std::max(first, start), to = std::min(end, start + kDropoutChannels);
    for (std::int64_t c = from; c < to; ++c) values[c - first] *= factors[c - start];
  }
}

// Dropout for the rows of a ragged batch. Reads the segments only if dropout is on.
class RowDropout {
 public:
  RowDropout(const Dropout& dropout, const Segments& segments) : dropout_(dropout) {
    if (!on()) return;
    sentence_ = segments.sentence.data<std::int32_t>();
    position_ = segments.position.data<std::int32_t>();
  }

  bool on() const { return dropout_.on(); }
  // Calls body(first, count, factors) for the channels of a row from `begin` to `end`, in chunks of at most
  // kDropoutChannels. `begin` is a multiple of 8.
  template <class T, class Body>
  void for_chunks(std::int64_t row, std::int64_t begin, std::int64_t end, const Body& body) const {
    T factors[kDropoutChannels];
    for (std::int64_t first = begin; first < end; first += kDropoutChannels) {
      const std::int64_t count = std::min(kDropoutChannels, end - first);
      dropout_factors(dropout_, sentence_[row], position_[row], first, count, factors);
      body(first, count, factors);
    }
  }

 private:
  Dropout dropout_;
  const std::int32_t *sentence_ = nullptr, *position_ = nullptr;
};

// y[i] = f(x[i]...), or y[i] += f(x[i]...) if it accumulates, for every i < count. f takes and returns vectors.
template <class T, class F, class... X>
void put_vectors(std::int64_t count, bool accumulates, T* y, const F& f, const X*... x) {
  if (accumulates) {
    const auto sum = [&f](Vec<T> old, auto... v) { return old + f(v...); };
    map_vectors(count, y, sum, y, x...);
  } else {
    map_vectors(count, y, f, x...);
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
