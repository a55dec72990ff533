#include "dragoman/array/shape.h"

#include "dragoman/base/error.h"

namespace dragoman {

Shape::Shape(std::initializer_list<std::int64_t> dims) {
  require<ShapeError>(dims.size() <= kMaxRank, "an array has at most ", kMaxRank, " axes, not ", dims.size());
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    require<ShapeError>(dim >= 0, "an axis cannot have ", dim, " elements");
    require<ShapeError>(!__builtin_mul_overflow(count, dim, &count), "the number of elements of the array overflows");
    dims_[rank_++] = dim;
  }
}

std::int64_t Shape::dim(int axis) const {
  const int index = axis < 0 ? rank_ + axis : axis;
  require<ShapeError>(index >= 0 && index < rank_, "there is no axis ", axis, " in a shape with ", rank_, " axes");
  return dims_[index];
}

std::int64_t Shape::count() const {
  std::int64_t product = 1;
  for (int axis = 0; axis < rank_; ++axis) product *= dims_[axis];
  return product;
}

std::int64_t Shape::rows() const {
  std::int64_t product = 1;
  for (int axis = 0; axis + 1 < rank_; ++axis) product *= dims_[axis];
  return product;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (int axis = 0; axis < shape.rank(); ++axis) out << (axis > 0 ? ", " : "") << shape.dim(axis);
  return out << ']';
}

}  // namespace dragoman
