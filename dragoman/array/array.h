// An Array describes memory: shape, element type, device, address. It owns nothing and computes nothing: arenas and
// parameter blocks own the bytes, and backends compute on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "dragoman/array/arena.h"
#include "dragoman/array/dtype.h"
#include "dragoman/array/shape.h"
#include "dragoman/base/error.h"

namespace dragoman {

class Array {
 public:
  Array() = default;  // absent: no shape, no memory
  // `owner` is the arena that the memory comes from, or null for memory that outlives every Array of it.
  Array(void* data, const Shape& shape, DType dtype, Device device, const Arena* owner = nullptr);

  bool absent() const { return data_ == nullptr; }
  explicit operator bool() const { return data_ != nullptr; }

  const Shape& shape() const { return shape_; }
  std::int64_t dim(int axis) const { return shape_.dim(axis); }
  DType dtype() const { return dtype_; }
  Device device() const { return device_; }
  std::int64_t count() const { return shape_.count(); }

  // Every Array can be read as a matrix: all axes but the last together are its rows. Consecutive rows start
  // row_stride() elements apart, which is more than cols() for a view of some columns.
  std::int64_t rows() const { return shape_.rows(); }
  std::int64_t cols() const { return shape_.cols(); }
  std::int64_t row_stride() const { return row_stride_; }
  bool contiguous() const { return row_stride_ == cols() || rows() <= 1; }

  // Views of the same memory. `columns` and `row_range` take a first index and a count.
  Array columns(std::int64_t first, std::int64_t count) const;
  Array row_range(std::int64_t first, std::int64_t count) const;
  // Calls work(range) for consecutive ranges of rows, each with at most `elements` elements, but at least one row.
  template <class Work>
  void for_row_ranges(std::int64_t elements, const Work& work) const {
    const std::int64_t step = std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, cols()));
    for (std::int64_t first = 0; first < rows(); first += step) work(row_range(first, std::min(step, rows() - first)));
  }
  Array reshaped(const Shape& shape) const;  // requires a contiguous array and an equal count
  // The same shape and stride over other memory, which must outlive every Array of it.
  Array moved_to(void* data) const;
  // The same array with the note that `rows` padding rows follow its last row in memory. They are all zero and not part
  // of the shape. Matrix products are faster with a round number of rows, so kernels may include them. Views have none.
  Array with_padding_rows(std::int64_t rows) const;
  std::int64_t padding_rows() const { return padding_rows_; }
  Array including_padding_rows() const;  // a matrix of rows() + padding_rows() rows

  // The address of the first element. Throws ShapeError if T is not the element type. A debug build also checks that
  // the memory was not given back to its arena.
  template <class T>
  T* data() const {
    require<ShapeError>(kDTypeOf<std::remove_const_t<T>> == dtype_, "an array of ", dtype_, " was read as ",
                        kDTypeOf<std::remove_const_t<T>>);
    return static_cast<T*>(raw());
  }
  void* raw() const;

 private:
  Shape shape_;
  std::int64_t row_stride_ = 0;
  std::int64_t padding_rows_ = 0;
  void* data_ = nullptr;
  const Arena* owner_ = nullptr;
  std::uint32_t generation_ = 0;  // of the owner when the memory was taken; raw() checks it in a debug build
  DType dtype_ = DType::kFloat32;
  Device device_;
};

}  // namespace dragoman
