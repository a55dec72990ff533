#include "dragoman/autograd/variable.h"

#include <algorithm>
#include <vector>

namespace dragoman {

namespace {

std::int64_t end_row(const Variable& view) { return view.first_row + view.shape.rows(); }
std::int64_t end_column(const Variable& view) { return view.first_column + view.shape.cols(); }

// The memory of the gradient. It is taken from the pool if there is none yet.
Array memory_of(Backend& on, Variable& variable) {
  if (variable.whole != nullptr) {
    return memory_of(on, *variable.whole)
        .row_range(variable.first_row, variable.shape.rows())
        .columns(variable.first_column, variable.shape.cols());
  }
  if (!variable.gradient) {
    const std::size_t bytes = static_cast<std::size_t>(variable.shape.count()) * size_of(variable.dtype);
    variable.gradient = Array(on.gradients().take(bytes), variable.shape, variable.dtype, on.device());
  }
  return variable.gradient;
}

// Whether every element of the gradient has a value.
bool is_written(const Variable& variable) {
  return variable.written || (variable.whole != nullptr && is_written(*variable.whole));
}

// Whether some element of the gradient has a value. Requires that the whole is not written.
bool is_touched(const Variable& variable) {
  if (variable.written) return true;
  for (const Variable* view = variable.views; view != nullptr; view = view->next_view) {
    if (is_touched(*view)) return true;
  }
  return false;
}

// Zeroes what no view has written in the rows [first, end), in which no view begins or ends. `views` are the written
// views that cover these rows, from left to right.
void fill_gaps(Backend& on, const Array& gradient, std::int64_t first, std::int64_t end,
               const std::vector<const Variable*>& views) {
  std::int64_t column = 0;
  const auto fill_up_to = [&](std::int64_t next) {
    if (next <= column) return;
    Array gap = gradient.row_range(first, end - first).columns(column, next - column);
    on.fill(gap, 0.0);
  };
  for (const Variable* view : views) {
    fill_up_to(view->first_column);
    column = end_column(*view);
  }
  fill_up_to(gradient.cols());
}

// Zeroes the parts that no view has written. Afterwards all of the variable counts as written.
void complete_with_zeros(Backend& on, Variable& whole) {
  // 1. Complete the views that are written in part.
  std::vector<const Variable*> written;
  std::vector<std::int64_t> edges{0, whole.shape.rows()};
  for (Variable* view = whole.views; view != nullptr; view = view->next_view) {
    if (!is_touched(*view)) continue;
    if (!view->written) complete_with_zeros(on, *view);
    written.push_back(view);
    edges.insert(edges.end(), {view->first_row, end_row(*view)});
  }
  // 2. Between two edges, the same views cover all rows. The edges are visited from top to bottom; views enter at their
  // first row and leave at their end, so that a recurrence, which has a view for each step, takes linear time.
  std::ranges::sort(edges);
  std::ranges::sort(written, {}, &Variable::first_row);
  const Array gradient = memory_of(on, whole);
  std::vector<const Variable*> covering;
  auto next = written.begin();
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    if (edges[i] == edges[i + 1]) continue;
    std::erase_if(covering, [&](const Variable* view) { return end_row(*view) <= edges[i]; });
    for (; next != written.end() && (*next)->first_row <= edges[i]; ++next) {
      if (edges[i] < end_row(**next)) covering.push_back(*next);
    }
    std::ranges::sort(covering, {}, &Variable::first_column);
    fill_gaps(on, gradient, edges[i], edges[i + 1], covering);
  }
  whole.written = true;
}

}  // namespace

Sink sink_of(Backend& on, Variable* variable) {
  if (variable == nullptr) return {};
  if (!is_written(*variable) && is_touched(*variable)) complete_with_zeros(on, *variable);
  const bool has_values = is_written(*variable);
  variable->written = true;
  return has_values ? Sink::accumulate(memory_of(on, *variable)) : Sink::overwrite(memory_of(on, *variable));
}

Array finished_gradient(Backend& on, Variable& variable) {
  if (!is_written(variable)) {
    if (!is_touched(variable)) return {};
    complete_with_zeros(on, variable);
  }
  return memory_of(on, variable);
}

void release_gradient(Backend& on, Variable& variable) {
  if (variable.persistent || variable.whole != nullptr || !variable.gradient) return;
  on.gradients().give_back(variable.gradient.raw());
  variable.gradient = Array();
  variable.written = false;
}

void link_view(Variable& view, Variable& whole, std::int64_t first_row, std::int64_t first_column) {
  // A parameter outlives the Recording that its views would live in. Take views of a product with it instead.
  require<Error>(!whole.persistent, "columns: a parameter cannot have views; take columns of a product with it");
  view.whole = &whole;
  view.first_row = first_row;
  view.first_column = first_column;
  // The list is ordered by falling end row, so the loop stops at the first view that ends before this one begins. If
  // the rows are filled in order, as by a recurrence, that is the first one in the list.
  for (const Variable* other = whole.views; other != nullptr && end_row(*other) > first_row; other = other->next_view) {
    const bool apart = end_row(view) <= other->first_row || end_column(view) <= other->first_column ||
                       end_column(*other) <= first_column;
    require<ShapeError>(apart, "columns ", first_column, " to ", end_column(view), " of rows ", first_row, " to ",
                        end_row(view), " overlap another view of the same tensor");
  }
  Variable** place = &whole.views;
  while (*place != nullptr && end_row(**place) > end_row(view)) place = &(*place)->next_view;
  view.next_view = *place;
  *place = &view;
}

}  // namespace dragoman
