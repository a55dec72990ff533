// Helpers for tests of layers with given weights.
#pragma once

#include <string>
#include <utility>

#include "dragoman/autograd/testing.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::nn {

// A layer in double with its memory. Its weights are zero until set() changes them.
template <class Layer>
struct Bound {
  template <class... Arguments>
  explicit Bound(Backend& on_, Arguments&&... arguments)
      : on(on_),
        layer(std::forward<Arguments>(arguments)...),
        block(on, DType::kFloat64, layer, params::Purpose::kTraining) {
    for (const params::NamedTensor& tensor : block.tensors()) {
      Array values = tensor.values;
      on.fill(values, 0.0);
    }
    block.begin_update();
  }

  void set(const std::string& name, const Doubles& values) {
    const params::NamedTensor& tensor = named(name);
    on.scaled(make_array(on, tensor.shape, DType::kFloat64, values), 1.0, Sink::overwrite(tensor.values));
  }
  // Adds to one element.
  void add(const std::string& name, std::size_t element, double change) {
    Doubles values = values_of(on, named(name).values);
    values[element] += change;
    set(name, values);
  }
  // The gradient of a tensor after backward().
  Doubles gradient(const std::string& name) {
    block.finish_update();
    for (const params::NamedTensor& tensor : block.tensors_in(block.gradients())) {
      if (tensor.name == name) return values_of(on, tensor.values);
    }
    throw Error("no tensor " + name);
  }

  Backend& on;
  Layer layer;
  params::ParameterBlock block;

 private:
  const params::NamedTensor& named(const std::string& name) {
    for (const params::NamedTensor& tensor : block.tensors()) {
      if (tensor.name == name) return tensor;
    }
    throw Error("no tensor " + name);
  }
};

}  // namespace dragoman::nn
