// Copies numbers from the device, to be looked at.
#pragma once

#include <vector>

#include "dragoman/backend/backend.h"

namespace dragoman::decode {

// The values as float32. They go through an array of their own, because `values` may have another element type, or be
// some columns of a wider array.
inline std::vector<float> floats_on_host(Backend& on, const Array& values) {
  const ArenaScope scratch(on.arena());
  const Array staged = on.empty(values.shape(), DType::kFloat32);
  on.scaled(values, 1.0, Sink::overwrite(staged));
  std::vector<float> host(static_cast<std::size_t>(staged.count()));
  on.copy_out(staged, host.data());
  return host;
}

}  // namespace dragoman::decode
