// Recording and running backward. While a Recording is alive on a thread, ops leave what their backward needs on its
// tape: a node and a closure in the host arena, saved Arrays in the device arena. Nothing is freed one by one; leaving
// the Recording gives everything back.
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

// What a recorded function writes into: the gradients of its inputs, by their order in record().
class Sinks {
 public:
  Sinks(Backend& on, Variable* const* inputs) : on_(on), inputs_(inputs) {}
  Sink into(int input) { return sink_of(on_, inputs_[input]); }
  // The first N, taken in order: where one variable is two inputs, the first overwrites and the second adds. (As
  // separate arguments of a call they would be taken in an order that C++ leaves open.)
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

// One recorded function. `run` calls the closure with the gradients of its outputs, absent where nothing reached one.
struct Node {
  static constexpr int kMaxOutputs = 2;
  Node* previous = nullptr;
  void (*run)(void* closure, Array* d_outputs, Sinks& sinks) = nullptr;
  void* closure = nullptr;
  Variable** inputs = nullptr;  // in the host arena, as many as there are
  std::array<Variable*, kMaxOutputs> outputs{};
  std::size_t mark = 0;  // of the device arena when forward was done: backward pops what later functions pushed
};

class Recording {
 public:
  explicit Recording(Backend& on);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // The innermost one on this thread, unless a NoGradient hides it.
  static Recording* current();

  Backend& backend() const { return on_; }
  Node*& last() { return last_; }

 private:
  Backend& on_;
  ArenaScope values_, tape_;
  Recording* outer_;
  Node* last_ = nullptr;
};

// Hides the Recording: what is computed inside has no history.
class NoGradient {
 public:
  NoGradient();
  ~NoGradient();
  NoGradient(const NoGradient&) = delete;
  NoGradient& operator=(const NoGradient&) = delete;

 private:
  Recording* hidden_;
};

// A tensor whose gradient is wanted though no op made it: gradients end there. Its Variable lives in the Recording.
Tensor leaf(Backend& on, const Array& array);

// Whether an op on these inputs will be recorded.
bool recorded(std::span<const Tensor> inputs);
inline bool recorded(std::initializer_list<Tensor> inputs) {
  return recorded(std::span(inputs.begin(), inputs.size()));
}

// Runs the tape backwards from `root`, whose own gradient is one (or `d_root`), or from several numbers whose sum it
// is. Parameter gradients are left in their buffers, those of leaves in their Variables; all others are given back on
// the way.
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

// A copy of a list for the closure of a function with these inputs; it lives as long as the tape. Empty if the function
// is not recorded.
template <class T>
std::span<const T> kept(std::span<const T> values, std::span<const Tensor> inputs) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  if (!recorded(inputs)) return {};
  T* copy = static_cast<T*>(internal::new_closure(*Recording::current(), values.size_bytes()));
  std::ranges::copy(values, copy);
  return {copy, values.size()};
}

// y = f(inputs), with function(dy, sinks) as its backward. dy may be overwritten: nobody reads it afterwards.
template <class Function>
Tensor record(const Array& y, std::span<const Tensor> inputs, const Function& function) {
  Backend& on = inputs.front().backend();
  if (!recorded(inputs)) return Tensor(on, y);
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

// (s, y) = f(inputs), with function(ds, dy, sinks) as its backward; one of ds and dy may be absent.
template <class Function>
std::array<Tensor, 2> record(const Array& s, const Array& y, std::initializer_list<Tensor> inputs,
                             const Function& function) {
  Backend& on = inputs.begin()->backend();
  if (!recorded(inputs)) return {Tensor(on, s), Tensor(on, y)};
  Recording& recording = *Recording::current();
  Node& node = internal::new_node(recording, std::span(inputs.begin(), inputs.size()));
  node.outputs = {internal::new_variable(on, s), internal::new_variable(on, y)};
  node.run = [](void* closure, Array* d, Sinks& sinks) { (*static_cast<Function*>(closure))(d[0], d[1], sinks); };
  internal::attach(recording, node, function);
  return {Tensor(on, s, node.outputs[0]), Tensor(on, y, node.outputs[1])};
}

// Columns [first, first + count) of x: a view of its values and of its gradient. x is no parameter.
Tensor columns(const Tensor& x, std::int64_t first, std::int64_t count);

}  // namespace dragoman
