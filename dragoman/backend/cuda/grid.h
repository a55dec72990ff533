// The number of blocks of a launch along each axis, counted in 64 bits until it is known that CUDA can launch so many.
#pragma once

#include <cstdint>

#include "dragoman/base/error.h"

namespace dragoman::cuda {

struct Grid {
  std::int64_t x = 1, y = 1, z = 1;

  Grid(std::int64_t x_, std::int64_t y_ = 1, std::int64_t z_ = 1) : x(x_), y(y_), z(z_) {}  // NOLINT: x alone converts

  bool empty() const { return x == 0 || y == 0 || z == 0; }
  // Throws a ShapeError for more blocks than a device has along an axis.
  void check() const {
    constexpr std::int64_t kMostX = (std::int64_t{1} << 31) - 1, kMost = (1 << 16) - 1;
    require<ShapeError>(x <= kMostX && y <= kMost && z <= kMost, "a CUDA kernel would need ", x, " x ", y, " x ", z,
                        " blocks, but there may be at most ", kMostX, " x ", kMost, " x ", kMost,
                        ": the arrays are too large.");
  }
};

}  // namespace dragoman::cuda
