#include "dragoman/array/array.h"

#include <bit>
#include <cassert>
#include <cmath>

namespace dragoman {

BFloat16::BFloat16(double value) {
  const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  // The upper 16 bits are kept. To round to nearest, ties to even, we first add 0x7FFF, or 0x8000 (exactly half of the
  // last kept place) if the last kept bit is 1. A NaN must stay a NaN, so its top fraction bit is set instead.
  const std::uint32_t rounded = std::isnan(value) ? word | 0x400000 : word + 0x7FFF + (word >> 16 & 1);
  bits = static_cast<std::uint16_t>(rounded >> 16);
}

BFloat16::operator double() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::ostream& operator<<(std::ostream& out, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return out << "float32";
    case DType::kFloat64: return out << "float64";
    case DType::kBFloat16: return out << "bfloat16";
    case DType::kInt32: return out << "int32";
    case DType::kInt8: return out << "int8";
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, Device device) {
  if (device.kind == Device::Kind::kCpu) return out << "cpu";
  return out << "cuda:" << device.index;
}

Array::Array(void* data, const Shape& shape, DType dtype, Device device, const Arena* owner)
    : shape_(shape),
      row_stride_(shape.cols()),
      data_(data),
      owner_(owner),
      generation_(owner != nullptr ? owner->generation() : 0),
      dtype_(dtype),
      device_(device) {}

void* Array::raw() const {
  assert((owner_ == nullptr || count() == 0 || owner_->holds(data_, generation_)) &&
         "this array's memory was given back to its arena");
  return data_;
}

Array Array::with_padding_rows(std::int64_t rows) const {
  Array same = *this;
  same.padding_rows_ = rows;
  return same;
}

Array Array::including_padding_rows() const {
  if (padding_rows_ == 0) return *this;
  return Array(data_, {rows() + padding_rows_, cols()}, dtype_, device_, owner_);
}

Array Array::columns(std::int64_t first, std::int64_t count) const {
  require<ShapeError>(first >= 0 && count >= 0 && first <= cols() && count <= cols() - first, count, " columns from ",
                      first, " on are outside an array of shape ", shape_);
  Array view = *this;
  view.shape_ = shape_.rank() == 1 ? Shape{count} : Shape{rows(), count};
  view.padding_rows_ = 0;
  view.data_ = static_cast<char*>(data_) + first * static_cast<std::int64_t>(size_of(dtype_));
  return view;
}

Array Array::row_range(std::int64_t first, std::int64_t count) const {
  require<ShapeError>(first >= 0 && count >= 0 && first <= rows() && count <= rows() - first, count, " rows from ",
                      first, " on are outside an array of shape ", shape_);
  Array view = *this;
  view.shape_ = Shape{count, cols()};
  view.padding_rows_ = 0;
  view.data_ = static_cast<char*>(data_) + first * row_stride_ * static_cast<std::int64_t>(size_of(dtype_));
  return view;
}

Array Array::moved_to(void* data) const {
  Array moved = *this;
  moved.data_ = data;
  moved.owner_ = nullptr;
  return moved;
}

Array Array::reshaped(const Shape& shape) const {
  require<ShapeError>(contiguous() && shape.count() == count(), "an array of shape ", shape_, " cannot be reshaped to ",
                      shape);
  Array view = *this;
  view.shape_ = shape;
  view.padding_rows_ = 0;
  view.row_stride_ = shape.cols();
  return view;
}

}  // namespace dragoman
