// Failures of a device that callers treat differently from others.
#pragma once

#include "dragoman/base/error.h"

namespace dragoman {

// This process cannot use the device any more; a new process can. After a kernel has written to a bad address, for
// example, every CUDA call of the process fails.
struct DeviceLost : DeviceError {
  using DeviceError::DeviceError;
};

// The memory of the device is in use, by this or other programs, and some of it may be free later.
struct DeviceFull : MemoryError {
  using MemoryError::MemoryError;
};

}  // namespace dragoman
