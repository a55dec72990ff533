#include "dragoman/model/foreign/tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/half.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/checked.h"

namespace dragoman::model::foreign {
namespace {

constexpr std::int64_t kBlock = 1 << 16;  // elements that are read at a time

template <class Number>
Number number_at(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

float float_at(const char* bytes, Element element) {
  switch (element) {
    case Element::kF64: return static_cast<float>(number_at<double>(bytes));
    case Element::kF32: return number_at<float>(bytes);
    case Element::kF16: return float_from_float16(number_at<std::uint16_t>(bytes));
    case Element::kBF16: return float_from_bfloat16(number_at<std::uint16_t>(bytes));
    case Element::kI64: return static_cast<float>(number_at<std::int64_t>(bytes));
    case Element::kI32: return static_cast<float>(number_at<std::int32_t>(bytes));
    case Element::kI16: return number_at<std::int16_t>(bytes);
    case Element::kI8: return number_at<std::int8_t>(bytes);
    case Element::kU8: return number_at<std::uint8_t>(bytes);
  }
  return 0;
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  // An axis of no elements makes strides of 0 instead of 1; neither is used.
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// The number of elements; overflowed if it, or a size, cannot be one.
Checked checked_count(const std::vector<std::int64_t>& shape) {
  Checked count = 1, without_zeros = 1;
  for (const std::int64_t size : shape) {
    count = count * size;
    // So that strides do not overflow either.
    without_zeros = without_zeros * std::max<std::int64_t>(size, 1);
    if (size < 0) count.overflowed = true;
  }
  count.overflowed = count.overflowed || without_zeros.overflowed;
  return count;
}

// The number of elements in the file from the first to the last of a tensor that is not empty.
std::uint64_t extent_of(const Tensor& tensor) {
  std::uint64_t extent = 1;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    extent += static_cast<std::uint64_t>((tensor.shape[i] - 1) * tensor.strides[i]);
  }
  return extent;
}

}  // namespace

std::uint64_t element_bytes(Element element) {
  switch (element) {
    case Element::kF64:
    case Element::kI64: return 8;
    case Element::kF32:
    case Element::kI32: return 4;
    case Element::kF16:
    case Element::kBF16:
    case Element::kI16: return 2;
    case Element::kI8:
    case Element::kU8: return 1;
  }
  return 1;
}

std::int64_t Tensor::count() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

bool add_tensor(Tensors& tensors, const std::string& name, Tensor tensor, std::string_view where) {
  const bool is_new = tensors.try_emplace(name, std::move(tensor)).second;
  require<Error>(tensors.size() <= kMostTensors, where, " has more than ", kMostTensors, " tensors.");
  return is_new;
}

void require_few_sizes(std::size_t sizes, std::string_view where) {
  require<Error>(sizes <= kMostSizes, where, " has ", sizes, " dimensions; at most ", kMostSizes, " are read.");
}

Tensor dense_tensor(Element element, std::vector<std::int64_t> shape, Bytes bytes, std::uint64_t begin,
                    std::string_view where) {
  require<Error>(!checked_count(shape).overflowed, where, " has a shape that does not fit its bytes.");
  std::vector<std::int64_t> strides = dense_strides(shape);
  return strided_tensor({.element = element,
                         .shape = std::move(shape),
                         .strides = std::move(strides),
                         .bytes = std::move(bytes),
                         .begin = begin},
                        where);
}

Tensor strided_tensor(Tensor tensor, std::string_view where) {
  const Checked count = checked_count(tensor.shape);
  require<Error>(
      !count.overflowed && tensor.strides.size() == tensor.shape.size() && tensor.begin <= tensor.bytes->size(), where,
      " has a shape that does not fit its bytes.");
  if (count.value == 0) return tensor;
  Checked last = 0;  // the place of the last element
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    require<Error>(tensor.strides[i] >= 0, where, " has a negative stride.");
    last = last + Checked(tensor.shape[i] - 1) * tensor.strides[i];
  }
  const auto elements =
      static_cast<std::int64_t>((tensor.bytes->size() - tensor.begin) / element_bytes(tensor.element));
  require<Error>(last.at_most(elements - 1) && count.value <= elements, where,
                 " has a shape that does not fit its bytes.");
  return tensor;
}

std::vector<float> floats_of(const Tensor& tensor) {
  const std::int64_t count = tensor.count();
  std::vector<float> floats(static_cast<std::size_t>(count));
  if (count == 0) return floats;
  const std::uint64_t bytes = element_bytes(tensor.element);
  if (tensor.strides == dense_strides(tensor.shape)) {
    for (std::int64_t first = 0; first < count; first += kBlock) {
      const std::int64_t elements = std::min(kBlock, count - first);
      const std::string block = tensor.bytes->text(tensor.begin + static_cast<std::uint64_t>(first) * bytes,
                                                   static_cast<std::uint64_t>(elements) * bytes);
      for (std::int64_t i = 0; i < elements; ++i) {
        floats[static_cast<std::size_t>(first + i)] =
            float_at(block.data() + static_cast<std::uint64_t>(i) * bytes, tensor.element);
      }
    }
  } else {
    const std::string block = tensor.bytes->text(tensor.begin, extent_of(tensor) * bytes);
    std::vector<std::int64_t> index(tensor.shape.size(), 0);
    std::int64_t place = 0;
    for (float& value : floats) {
      value = float_at(block.data() + static_cast<std::uint64_t>(place) * bytes, tensor.element);
      // The next index, the last axis first.
      for (std::size_t i = index.size(); i-- > 0;) {
        place += tensor.strides[i];
        if (++index[i] < tensor.shape[i]) break;
        place -= tensor.shape[i] * tensor.strides[i];
        index[i] = 0;
      }
    }
  }
  if (tensor.divisors != nullptr) {
    const std::vector<float>& divisors = *tensor.divisors;
    const std::size_t row = floats.size() / divisors.size();
    for (std::size_t i = 0; i < floats.size(); ++i) {
      floats[i] /= divisors[tensor.divided_by_columns ? i % divisors.size() : i / row];
    }
  }
  return floats;
}

Tensor rows_of(Tensor tensor, std::int64_t first, std::int64_t count) {
  tensor.shape[0] = count;
  if (tensor.count() > 0)
    tensor.begin += static_cast<std::uint64_t>(first * tensor.strides[0]) * element_bytes(tensor.element);
  if (tensor.divisors != nullptr && tensor.divisors->size() > 1 && !tensor.divided_by_columns) {
    const auto begin = tensor.divisors->begin() + first;
    tensor.divisors = std::make_shared<std::vector<float>>(begin, begin + count);
  }
  return tensor;
}

Tensor transposed(Tensor matrix) {
  std::swap(matrix.shape.at(0), matrix.shape.at(1));
  std::swap(matrix.strides.at(0), matrix.strides.at(1));
  matrix.divided_by_columns = !matrix.divided_by_columns;
  return matrix;
}

Tensor in_memory(Tensor tensor) {
  if (tensor.count() == 0) return tensor;
  std::string elements = tensor.bytes->text(tensor.begin, extent_of(tensor) * element_bytes(tensor.element));
  tensor.bytes = memory_bytes(std::move(elements), "a tensor");
  tensor.begin = 0;
  return tensor;
}

Tensor part_of_rows(Tensor tensor, int part, int parts, std::string_view where) {
  if (parts == 1) return tensor;
  require<Error>(!tensor.shape.empty() && tensor.shape[0] % parts == 0, where, " does not have rows for ", parts,
                 " equal parts.");
  const std::int64_t rows = tensor.shape[0] / parts;
  return rows_of(std::move(tensor), part * rows, rows);
}

std::string text_of(const Tensor& tensor) {
  return tensor.bytes->text(tensor.begin, static_cast<std::uint64_t>(tensor.count()));
}

const Tensor& tensor_named(const Tensors& tensors, const std::string& name, std::string_view where) {
  const auto found = tensors.find(name);
  require<Error>(found != tensors.end(), where, " has no tensor ", in_quotes(name), ".");
  return found->second;
}

}  // namespace dragoman::model::foreign
