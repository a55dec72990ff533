// A Tensor is an Array with a history: it knows the backend that computes on it and, while gradients are recorded, the
// Variable that receives its gradient. Tensors are small values; the step's arenas own what they point to.
#pragma once

#include <array>
#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/backend.h"
#include "dragoman/base/error.h"

namespace dragoman {

struct Variable;

class Tensor {
 public:
  Tensor() = default;
  Tensor(Backend& on, const Array& array, Variable* variable = nullptr)
      : array_(array), backend_(&on), variable_(variable) {}

  explicit operator bool() const { return backend_ != nullptr; }
  const Array& array() const { return array_; }
  const Shape& shape() const { return array_.shape(); }
  std::int64_t dim(int axis) const { return array_.dim(axis); }
  std::int64_t rows() const { return array_.rows(); }
  Backend& backend() const { return *backend_; }
  Variable* variable() const { return variable_; }  // null if no gradient is wanted

  // The sizes of all axes. Throws ShapeError unless there are exactly `Rank` of them.
  template <std::size_t Rank>
  std::array<std::int64_t, Rank> dims() const {
    require<ShapeError>(shape().rank() == static_cast<int>(Rank), "expected ", Rank, " axes, but the shape is ",
                        shape());
    std::array<std::int64_t, Rank> sizes;
    for (std::size_t axis = 0; axis < Rank; ++axis) sizes[axis] = dim(static_cast<int>(axis));
    return sizes;
  }

 private:
  Array array_;
  Backend* backend_ = nullptr;
  Variable* variable_ = nullptr;
};

// The array of an optional Tensor, such as a bias; absent if there is none.
inline Array array_or_absent(const Tensor& x) { return x ? x.array() : Array(); }

}  // namespace dragoman
