// A tensor in another program's file: what it is and where its numbers are. The numbers are read as floats, one tensor
// at a time, because the file may be larger than memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/foreign/byte_source.h"

namespace dragoman::model::foreign {

enum class Element : std::uint8_t { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8 };

std::uint64_t element_bytes(Element element);

// What is read of a file: shapes of at most so many sizes, and at most so many tensors. Files may repeat both without
// storing them again, so readers check these before they copy anything.
inline constexpr std::size_t kMostSizes = 8;
inline constexpr std::size_t kMostTensors = 20'000;

struct Tensor {
  Element element = Element::kF32;
  std::vector<std::int64_t> shape;    // empty for a single number
  std::vector<std::int64_t> strides;  // in elements; as many as `shape` has
  Bytes bytes;
  std::uint64_t begin = 0;  // offset of the first element
  // What the numbers are divided by: all by the only divisor, or each by that of its row, or of its column. Null for
  // nothing.
  std::shared_ptr<const std::vector<float>> divisors = nullptr;
  bool divided_by_columns = false;

  std::int64_t count() const;
};
using Tensors = std::map<std::string, Tensor>;

// Adds a tensor. Returns false if there is one of that name. Throws an Error that begins with `where`, which names the
// file, if there are too many.
bool add_tensor(Tensors& tensors, const std::string& name, Tensor tensor, std::string_view where);
// Throws an Error that begins with `where`, which names the tensor, if its shape has too many sizes.
void require_few_sizes(std::size_t sizes, std::string_view where);

// A tensor whose elements follow one another, row after row, from `begin` on. Throws an Error that begins with `where`
// if it does not fit in the bytes, so that its count() may be relied on to take memory.
Tensor dense_tensor(Element element, std::vector<std::int64_t> shape, Bytes bytes, std::uint64_t begin,
                    std::string_view where);
// The same with strides. Refuses negative strides, and tensors with more elements than the bytes have: those that
// repeat elements.
Tensor strided_tensor(Tensor tensor, std::string_view where);

// All elements, row after row. Integers of 64 bits are rounded.
std::vector<float> floats_of(const Tensor& tensor);
// Rows of a tensor with at least one dimension, which must be there.
Tensor rows_of(Tensor tensor, std::int64_t first, std::int64_t count);
// The transposition of a matrix.
Tensor transposed(Tensor matrix);
// The same tensor with its numbers in memory, as the file stores them. Rows of a transposition are read from all over
// the file.
Tensor in_memory(Tensor tensor);
// One of `parts` equal parts of the rows of a tensor. Throws an Error that begins with `where` if its rows cannot be
// divided so.
Tensor part_of_rows(Tensor tensor, int part, int parts, std::string_view where);
// The bytes of a dense tensor of 8-bit integers, as text.
std::string text_of(const Tensor& tensor);

// The tensor of this name. Throws an Error that begins with `where` if there is none.
const Tensor& tensor_named(const Tensors& tensors, const std::string& name, std::string_view where);

}  // namespace dragoman::model::foreign
