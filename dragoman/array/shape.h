// The size of an Array along each of its axes. There are at most four, and the last one is contiguous in memory.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>

namespace dragoman {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  // Throws ShapeError for more than four axes, a negative size, or a number of elements that overflows.
  Shape(std::initializer_list<std::int64_t> dims);

  int rank() const { return rank_; }
  // dim(-1) is the last axis.
  std::int64_t dim(int axis) const;
  std::int64_t count() const;
  // The product of all axes but the last; 1 for a vector.
  std::int64_t rows() const;
  std::int64_t cols() const { return rank_ == 0 ? 1 : dims_[rank_ - 1]; }

  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace dragoman
