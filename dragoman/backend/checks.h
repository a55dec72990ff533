// Shape checks that several families of kernels share. A message is formatted only if its check fails.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/sink.h"
#include "dragoman/base/error.h"

namespace dragoman {

inline bool same_extents(const Array& a, const Array& b) { return a.rows() == b.rows() && a.cols() == b.cols(); }

inline void check_same(const char* op, const Array& x, const Array& y) {
  require<ShapeError>(same_extents(x, y), op, ": x is ", x.shape(), " but y is ", y.shape());
}

// For a backward kernel that reads the output y.
inline void check_backward(const char* op, const Array& dy, const Array& y, const Array& dx) {
  require<ShapeError>(same_extents(dy, y) && same_extents(dy, dx), op, ": dy is ", dy.shape(), ", y ", y.shape(),
                      ", dx ", dx.shape());
}

// Dropout reads the sentence and the position of each row of x, so the segments must have as many rows as x.
inline void check_segments(const char* op, const Array& x, const Segments& segments) {
  require<ShapeError>(segments.R == x.rows(), op, ": x is ", x.shape(), " but the segments have ", segments.R, " rows");
}

// For a lookup of rows of E (plain or packed), with or without positions P.
inline void check_lookup(const Array& ids, const Segments& segments, const Shape& E, const Array& P, const Array& y) {
  require<ShapeError>(ids.count() == y.rows() && E.cols() == y.cols(), "embed: ids is ", ids.shape(), ", E ", E, ", y ",
                      y.shape());
  require<ShapeError>(!P || (P.cols() == y.cols() && segments.longest <= P.rows()), "embed: E is ", E, ", P ",
                      P.shape(), ", y ", y.shape(), " and the longest sentence has ", segments.longest, " rows");
  require<ShapeError>(!P || segments.R == y.rows(), "embed: y is ", y.shape(), " but the segments have ", segments.R,
                      " rows");
}

// Whether the sink is unwanted or has the extents of x.
inline bool fits(const Sink& dx, const Array& x) { return !dx.wanted() || same_extents(dx.array, x); }

}  // namespace dragoman
