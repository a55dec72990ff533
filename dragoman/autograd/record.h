// Records ops and runs their backward functions in reverse. While a Recording exists on a thread, each op appends to
// its tape what backward needs: a node and a closure in the host arena, saved Arrays in the device arena. Nothing is
// freed one by one; the end of the Recording frees everything.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>

#include "dragoman/autograd/tensor.h"
#include "dragoman/autograd/variable.h"

namespace dragoman {

// The sinks that a recorded function writes its inputs' gradients to, in the order of the inputs in record().
class Sinks {
 public:
  Sinks(Backend& on, Variable* const* inputs) : on_(on), inputs_(inputs) {}
  Sink into(int input) { return sink_of(on_, inputs_[input]); }
  // The first N sinks, made in order: if one variable is two inputs, the first sink overwrites and the second adds.
  // (Calls of into() as separate function arguments would run in an order that C++ does not define.)
  template <int N>
  std::array<Sink, N> first() {
    std::array<Sink, N> sinks;
    for (int input = 0; input < N; ++input) sinks[input] = into(input);
    return sinks;
  }
  bool wanted(int input) const { return inputs_[input] != nullptr; }

 private:
  Backend& on_;
  Variable* const* inputs_;
};

// One recorded function. `run` calls the closure with the gradients of its outputs; the array of an output that no
// gradient reached is absent.
struct Node {
  static constexpr int kMaxOutputs = 2;
  Node* previous = nullptr;
  void (*run)(void* closure, Array* d_outputs, Sinks& sinks) = nullptr;
  void* closure = nullptr;
  Variable** inputs = nullptr;  // one entry for each input, in the host arena; null if the input needs no gradient
  std::size_t input_count = 0;
  std::array<Variable*, kMaxOutputs> outputs{};
  // The mark of the device arena after this function's forward. Backward pops to it, which frees what later functions
  // pushed.
  std::size_t mark = 0;
};

class Recording {
 public:
  explicit Recording(Backend& on);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // The innermost Recording on this thread; null if there is none or a NoGradient hides it.
  static Recording* current();

  Backend& backend() const { return on_; }
  Node*& last() { return last_; }

 private:
  Backend& on_;
  ArenaScope values_, tape_;
  Recording* outer_;
  Node* last_ = nullptr;
};

// Hides the current Recording in its scope: values computed inside have no history.
class NoGradient {
 public:
  NoGradient();
  ~NoGradient();
  NoGradient(const NoGradient&) = delete;
  NoGradient& operator=(const NoGradient&) = delete;

 private:
  Recording* hidden_;
};

// A tensor that no op computed but whose gradient is wanted, such as an input. Its Variable lives in the Recording.
Tensor leaf(Backend& on, const Array& array);

// Whether an op on these inputs will be recorded: there is a Recording, and some input needs a gradient.
bool will_be_recorded(std::span<const Tensor> inputs);
inline bool will_be_recorded(std::initializer_list<Tensor> inputs) {
  return will_be_recorded(std::span(inputs.begin(), inputs.size()));
}

// Runs the tape backwards from `root`, whose own gradient is 1 or `d_root`. With several roots, which must be single
// numbers, the gradients are those of their sum. Gradients of parameters stay in the parameters' buffers and gradients
// of leaves in their Variables; all others are freed on the way.
void backward(const Tensor& root);
void backward(std::span<const Tensor> roots);
void backward(const Tensor& root, const Array& d_root);

namespace internal {
Variable* new_variable(Backend& on, const Array& value);
Node& new_node(Recording& recording, std::span<const Tensor> inputs);
void* new_closure(Recording& recording, std::size_t bytes);

template <class Function>
void attach(Recording& recording, Node& node, const Function& function) {
  static_assert(std::is_trivially_destructible_v<Function>, "a recorded closure is never destroyed");
  node.closure = new (new_closure(recording, sizeof(Function))) Function(function);
  recording.last() = &node;
}
}  // namespace internal

// Copies a list for the closure of a function with these inputs. The copy lives as long as the tape. Empty if the
// function is not recorded.
template <class T>
std::span<const T> copy_to_tape(std::span<const T> values, std::span<const Tensor> inputs) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  if (!will_be_recorded(inputs)) return {};
  T* copy = static_cast<T*>(internal::new_closure(*Recording::current(), values.size_bytes()));
  std::ranges::copy(values, copy);
  return {copy, values.size()};
}

// Records y = f(inputs) with function(dy, sinks) as its backward, if will_be_recorded(inputs). The function may
// overwrite dy, because it is not read afterwards.
template <class Function>
Tensor record(const Array& y, std::span<const Tensor> inputs, const Function& function) {
  Backend& on = inputs.front().backend();
  if (!will_be_recorded(inputs)) return Tensor(on, y);
  Recording& recording = *Recording::current();
  Node& node = internal::new_node(recording, inputs);
  node.outputs[0] = internal::new_variable(on, y);
  node.run = [](void* closure, Array* d, Sinks& sinks) { (*static_cast<Function*>(closure))(d[0], sinks); };
  internal::attach(recording, node, function);
  return Tensor(on, y, node.outputs[0]);
}
template <class Function>
Tensor record(const Array& y, std::initializer_list<Tensor> inputs, const Function& function) {
  return record(y, std::span(inputs.begin(), inputs.size()), function);
}

// Records (s, y) = f(inputs) with function(ds, dy, sinks) as its backward. One of ds and dy may be absent.
template <class Function>
std::array<Tensor, 2> record(const Array& s, const Array& y, std::initializer_list<Tensor> inputs,
                             const Function& function) {
  Backend& on = inputs.begin()->backend();
  if (!will_be_recorded(inputs)) return {Tensor(on, s), Tensor(on, y)};
  Recording& recording = *Recording::current();
  Node& node = internal::new_node(recording, std::span(inputs.begin(), inputs.size()));
  node.outputs = {internal::new_variable(on, s), internal::new_variable(on, y)};
  node.run = [](void* closure, Array* d, Sinks& sinks) { (*static_cast<Function*>(closure))(d[0], d[1], sinks); };
  internal::attach(recording, node, function);
  return {Tensor(on, s, node.outputs[0]), Tensor(on, y, node.outputs[1])};
}

// Columns or rows [first, first + count) of x: a view of its values and of its gradient. x must not be a parameter, and
// views of one tensor must not overlap. A view can have views itself.
Tensor columns(const Tensor& x, std::int64_t first, std::int64_t count);
Tensor row_range(const Tensor& x, std::int64_t first, std::int64_t count);

// Records that both parts, see record_part, were computed by f(inputs), with function(d_first, d_second, sinks) as its
// backward. One of the gradients may be absent. The second part is optional.
template <class Function>
void record_parts(const std::array<Tensor, 2>& parts, std::initializer_list<Tensor> inputs, const Function& function) {
  if (parts[0].variable() == nullptr || !will_be_recorded(inputs)) return;
  Recording& recording = *Recording::current();
  Node& node = internal::new_node(recording, std::span(inputs.begin(), inputs.size()));
  node.outputs = {parts[0].variable(), parts[1].variable()};
  node.run = [](void* closure, Array* d, Sinks& sinks) { (*static_cast<Function*>(closure))(d[0], d[1], sinks); };
  internal::attach(recording, node, function);
}

// Records that `part`, a view of some rows of a tensor that was recorded before, was computed by f(inputs), with
// function(d_part, sinks) as its backward. A loop fills the rows of one tensor in this way, a part at each step: record
// the tensor itself before the loop; its own backward then runs after that of all parts and receives the gradient of
// all rows.
template <class Function>
void record_part(const Tensor& part, std::initializer_list<Tensor> inputs, const Function& function) {
  record_parts({part, Tensor()}, inputs,
               [function](const Array& d, const Array&, Sinks& sinks) { function(d, sinks); });
}

}  // namespace dragoman
