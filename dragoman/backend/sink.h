// Where a kernel puts a gradient: nowhere, over what is there, or added to it. Kernels honour the sink, so that nothing
// is summed in a pass of its own.
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
