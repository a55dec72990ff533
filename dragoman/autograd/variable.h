// The gradient side of a Tensor: where its gradient is gathered, and whether anything is there yet.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/backend/backend.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

struct Variable {
  Shape shape;
  DType dtype = DType::kFloat32;
  Array gradient;  // a parameter's persistent buffer, or memory of the pool once something is written
  bool persistent = false;
  bool written = false;  // false: the next writer overwrites, so buffers need no clearing

  // A range of columns of another variable has no gradient of its own: it is those columns of the other's.
  Variable* whole = nullptr;
  std::int64_t first_column = 0;
  Variable* next_view = nullptr;  // of the same whole
  Variable* views = nullptr;      // of this one
};

// Where a gradient of `variable` is to be written next; nothing is wanted if it is null.
Sink sink_of(Backend& on, Variable* variable);

// Its gradient once all writers are done, with zeros where views of it were never written; absent if nothing was.
Array finished_gradient(Backend& on, Variable& variable);

// Gives the gradient's memory back to the pool, unless it is persistent.
void release_gradient(Backend& on, Variable& variable);

// Links `view` as columns [first, first + shape.cols()) of `whole`. Views of one whole do not overlap, and a
// parameter has none.
void link_view(Variable& view, Variable& whole, std::int64_t first);

}  // namespace dragoman
