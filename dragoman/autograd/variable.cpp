#include "dragoman/autograd/variable.h"

#include <cassert>

namespace dragoman {

namespace {

void ensure_memory(Backend& on, Variable& variable) {
  if (variable.gradient) return;
  const std::size_t bytes = static_cast<std::size_t>(variable.shape.count()) * size_of(variable.dtype);
  variable.gradient = Array(on.gradients().take(bytes), variable.shape, variable.dtype, on.device());
}

bool any_view_written(const Variable& whole) {
  for (const Variable* view = whole.views; view != nullptr; view = view->next_view) {
    if (view->written) return true;
  }
  return false;
}

// Zeroes the columns of `whole` that no view has written. Afterwards all of it counts as written.
void complete_with_zeros(Backend& on, Variable& whole) {
  const std::int64_t width = whole.shape.cols();
  std::int64_t column = 0;
  while (column < width) {
    std::int64_t next = width, resume = width;  // the first written view at or after `column`, and its end
    for (const Variable* view = whole.views; view != nullptr; view = view->next_view) {
      if (!view->written || view->first_column < column || view->first_column >= next) continue;
      next = view->first_column;
      resume = next + view->shape.cols();
    }
    if (next > column) {
      Array gap = whole.gradient.columns(column, next - column);
      on.fill(gap, 0.0);
    }
    column = resume;
  }
  whole.written = true;
}

}  // namespace

Sink sink_of(Backend& on, Variable* variable) {
  if (variable == nullptr) return {};
  if (variable->whole != nullptr) {
    Variable& whole = *variable->whole;
    ensure_memory(on, whole);
    const Array columns = whole.gradient.columns(variable->first_column, variable->shape.cols());
    const bool has_values = variable->written || whole.written;
    variable->written = true;
    return has_values ? Sink::accumulate(columns) : Sink::overwrite(columns);
  }
  ensure_memory(on, *variable);
  if (!variable->written && any_view_written(*variable)) complete_with_zeros(on, *variable);
  const bool has_values = variable->written;
  variable->written = true;
  return has_values ? Sink::accumulate(variable->gradient) : Sink::overwrite(variable->gradient);
}

Array finished_gradient(Backend& on, Variable& variable) {
  if (!variable.written && any_view_written(variable)) complete_with_zeros(on, variable);
  return variable.written ? variable.gradient : Array();
}

void release_gradient(Backend& on, Variable& variable) {
  if (variable.persistent || variable.whole != nullptr || !variable.gradient) return;
  on.gradients().give_back(variable.gradient.raw());
  variable.gradient = Array();
  variable.written = false;
}

void link_view(Variable& view, Variable& whole, std::int64_t first) {
  Variable& root = whole.whole != nullptr ? *whole.whole : whole;
  // A parameter outlives the Recording that its views would live in. Take columns of a product with it instead.
  require<Error>(!root.persistent, "columns: a parameter cannot have views; take columns of a product with it");
  const std::int64_t start = whole.first_column + first, end = start + view.shape.cols();
  for (const Variable* other = root.views; other != nullptr; other = other->next_view) {
    require<ShapeError>(end <= other->first_column || other->first_column + other->shape.cols() <= start, "columns ",
                        start, " to ", end, " overlap another view of the same tensor");
  }
  view.whole = &root;
  view.first_column = start;
  view.next_view = root.views;
  root.views = &view;
}

}  // namespace dragoman
