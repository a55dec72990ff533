// The gradient of a Tensor: the memory in which it is summed, and whether anything was written there yet.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/backend/backend.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

struct Variable {
  Shape shape;
  DType dtype = DType::kFloat32;
  Array gradient;           // a parameter's own buffer, or memory taken from the pool at the first write
  bool persistent = false;  // true for a parameter's buffer
  bool written = false;     // false: the next writer overwrites, so buffers need no clearing

  // If this variable is a view, some rows and columns of `whole`, then its gradient is that part of the gradient of
  // `whole`, which may be a view itself.
  Variable* whole = nullptr;
  std::int64_t first_row = 0, first_column = 0;
  Variable* next_view = nullptr;  // the next view of the same whole
  Variable* views = nullptr;      // the list of views of this variable
};

// The sink for the next contribution to the variable's gradient: it overwrites for the first one and adds for the rest.
// For null the sink is not wanted(): kernels compute nothing for it.
Sink sink_of(Backend& on, Variable* variable);

// The variable's gradient after all writers are done; absent if nothing was written. If only views were written, the
// rest is filled with zeros.
Array finished_gradient(Backend& on, Variable& variable);

// Returns the gradient's memory to the pool, unless it is persistent or belongs to a whole.
void release_gradient(Backend& on, Variable& variable);

// Makes `view` the part of `whole` that starts at this row and column. Throws if it overlaps another view of `whole`,
// or if `whole` is a parameter.
void link_view(Variable& view, Variable& whole, std::int64_t first_row, std::int64_t first_column);

}  // namespace dragoman
