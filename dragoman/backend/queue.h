// The order of work that several backends of one device launch. The CPU has done what was launched when the call
// returns, so there is nothing to wait for.
#pragma once

#include <memory>

#include "dragoman/backend/backend.h"

namespace dragoman {

// A point in the order of a backend's launches.
struct Mark {
  virtual ~Mark() = default;
  virtual bool is_reached() const { return true; }  // also after a failure of the device, which its backend reports
};

// The point after all work that was launched so far.
std::unique_ptr<Mark> mark(const Backend& on);
// Work that is launched from now on starts when another backend of the same device has reached its mark. Returns at
// once.
void start_after(const Backend& on, const Mark& mark);

// The queue of a CUDA device's launches, a cudaStream_t, for libraries that launch work of their own. Makes its device
// the current one of the calling thread. Null on the CPU.
void* queue_of(const Backend& on);

}  // namespace dragoman
