// Checks that the contracts of several families share. Nothing is formatted unless one fails.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/base/error.h"

namespace dragoman {

inline bool same_extents(const Array& a, const Array& b) { return a.rows() == b.rows() && a.cols() == b.cols(); }

inline void check_same(const char* op, const Array& x, const Array& y) {
  require<ShapeError>(same_extents(x, y), op, ": x is ", x.shape(), " but y is ", y.shape());
}

// For gradients that are made of the output y.
inline void check_backward(const char* op, const Array& dy, const Array& y, const Array& dx) {
  require<ShapeError>(same_extents(dy, y) && same_extents(dy, dx), op, ": dy is ", dy.shape(), ", y ", y.shape(),
                      ", dx ", dx.shape());
}

}  // namespace dragoman
