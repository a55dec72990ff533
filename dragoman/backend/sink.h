// A Sink is the destination of a gradient. It tells the kernel to skip the gradient, to overwrite the array, or to add
// to it. So gradients are summed where they are computed and need no separate pass.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"

namespace dragoman {

struct Sink {
  enum class Write : std::uint8_t { kNone, kOverwrite, kAccumulate };
  Array array;
  Write write = Write::kNone;

  bool wanted() const { return write != Write::kNone; }
  bool accumulates() const { return write == Write::kAccumulate; }

  static Sink overwrite(const Array& array) { return {array, Write::kOverwrite}; }
  static Sink accumulate(const Array& array) { return {array, Write::kAccumulate}; }
};

}  // namespace dragoman
