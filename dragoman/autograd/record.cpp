#include "dragoman/autograd/record.h"

#include <ranges>
#include <unordered_map>

#include "dragoman/autograd/backward.h"

namespace dragoman {

namespace {

thread_local Recording* current_recording = nullptr;

}  // namespace

Recording::Recording(Backend& on) : on_(on), values_(on.arena()), tape_(on.host_arena()), outer_(current_recording) {
  require<Error>(outer_ == nullptr || &outer_->on_ != &on_, "a backend can have only one Recording at a time");
  current_recording = this;
}

Recording::~Recording() {
  current_recording = outer_;
  on_.gradients().give_back_all();
}

Recording* Recording::current() { return current_recording; }

NoGradient::NoGradient() : hidden_(current_recording) { current_recording = nullptr; }
NoGradient::~NoGradient() { current_recording = hidden_; }

bool will_be_recorded(std::span<const Tensor> inputs) {
  if (current_recording == nullptr) return false;
  for (const Tensor& input : inputs) {
    if (input && input.variable() != nullptr) return true;
  }
  return false;
}

namespace internal {

Variable* new_variable(Backend& on, const Array& value) {
  auto* variable = new (on.host_arena().push(sizeof(Variable))) Variable();
  variable->shape = value.shape();
  variable->dtype = value.dtype();
  return variable;
}

Node& new_node(Recording& recording, std::span<const Tensor> inputs) {
  Arena& tape = recording.backend().host_arena();
  Node* node = new (tape.push(sizeof(Node))) Node();
  node->inputs = static_cast<Variable**>(tape.push(inputs.size() * sizeof(Variable*)));
  node->input_count = inputs.size();
  node->previous = recording.last();
  node->mark = recording.backend().arena().mark();
  int index = 0;
  for (const Tensor& input : inputs) node->inputs[index++] = input ? input.variable() : nullptr;
  return *node;
}

void* new_closure(Recording& recording, std::size_t bytes) { return recording.backend().host_arena().push(bytes); }

}  // namespace internal

Tensor leaf(Backend& on, const Array& array) {
  require<Error>(current_recording != nullptr, "leaf: there is no Recording on this thread");
  return Tensor(on, array, internal::new_variable(on, array));
}

namespace {

Tensor view_of(const Tensor& x, const Array& part, std::int64_t first_row, std::int64_t first_column) {
  if (!will_be_recorded({x})) return Tensor(x.backend(), part);
  Variable* variable = internal::new_variable(x.backend(), part);
  link_view(*variable, *x.variable(), first_row, first_column);
  return Tensor(x.backend(), part, variable);
}

}  // namespace

Tensor columns(const Tensor& x, std::int64_t first, std::int64_t count) {
  return view_of(x, x.array().columns(first, count), 0, first);
}

Tensor row_range(const Tensor& x, std::int64_t first, std::int64_t count) {
  return view_of(x, x.array().row_range(first, count), first, 0);
}

namespace {

// The Recording that `root` was computed in.
Recording& recording_of(const Tensor& root) {
  require<Error>(root.variable() != nullptr && current_recording != nullptr,
                 "backward: the computation of this tensor was not recorded");
  return *current_recording;
}

// Visits the functions from last to first. For each one:
//   1. collects the gradients of its outputs; later functions have written them. Skips the function if there are none;
//   2. frees what later functions pushed onto the device arena;
//   3. runs its backward, which writes or adds to the gradients of its inputs;
//   4. returns the gradients of its outputs to the pool;
//   5. reports the parameters that no function before it uses.
void run_tape(Recording& recording, const ParameterDone& done = {}) {
  Backend& on = recording.backend();
  // How many functions have yet to run that may write to a parameter's gradient.
  std::unordered_map<const Variable*, int> writers;
  const auto parameters_of = [](const Node& node) {
    return std::span(node.inputs, node.input_count) |
           std::views::filter([](const Variable* input) { return input != nullptr && input->persistent; });
  };
  if (done) {
    for (Node* node = recording.last(); node != nullptr; node = node->previous) {
      for (const Variable* parameter : parameters_of(*node)) ++writers[parameter];
    }
  }
  for (Node* node = recording.last(); node != nullptr; node = node->previous) {
    std::array<Array, Node::kMaxOutputs> d_outputs;
    bool reached = false;
    for (int k = 0; k < Node::kMaxOutputs; ++k) {
      if (node->outputs[k] == nullptr) continue;
      d_outputs[k] = finished_gradient(on, *node->outputs[k]);
      reached |= !d_outputs[k].absent();
    }
    if (reached) {
      on.arena().pop_to(node->mark);
      Sinks sinks(on, node->inputs);
      node->run(node->closure, d_outputs.data(), sinks);
      for (Variable* output : node->outputs) {
        if (output != nullptr) release_gradient(on, *output);
      }
    }
    if (!done) continue;
    for (const Variable* parameter : parameters_of(*node)) {
      if (--writers[parameter] == 0 && parameter->written) done(*parameter);
    }
  }
  recording.last() = nullptr;
}

}  // namespace

void backward(const Tensor& root) { backward(std::span(&root, 1)); }

void backward(std::span<const Tensor> roots) { backward(roots, ParameterDone()); }

void backward(std::span<const Tensor> roots, const ParameterDone& done) {
  require<Error>(!roots.empty(), "backward: no tensor was given to start from");
  for (const Tensor& root : roots) {
    require<ShapeError>(root.array().count() == 1, "backward starts from one number, not from ", root.shape());
    recording_of(root);
    Sink d_root = sink_of(root.backend(), root.variable());
    root.backend().fill(d_root.array, 1.0);
  }
  run_tape(recording_of(roots.front()), done);
}

void backward(const Tensor& root, const Array& d_root) {
  require<ShapeError>(root.shape() == d_root.shape(), "backward: the tensor is ", root.shape(), ", its gradient ",
                      d_root.shape());
  Recording& recording = recording_of(root);
  root.backend().scaled(d_root, 1.0, sink_of(root.backend(), root.variable()));
  run_tape(recording);
}

}  // namespace dragoman
