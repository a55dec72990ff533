// For tests: a GPU that is lost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/device_errors.h"

namespace dragoman {

// Has a kernel write to an address where there is no memory, and returns whether the device is lost. From then on this
// process cannot use CUDA, so only a child process should call this.
inline bool lose_cuda_device() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  constexpr Device kDevice{Device::Kind::kCuda, 0};
  try {
    const auto on = make_backend(kDevice, {.memory = kBytes, .gradient_memory = kBytes});
    Array nowhere(reinterpret_cast<void*>(std::uintptr_t{256}), {1}, DType::kFloat32, kDevice);
    on->fill(nowhere, 1);
    on->wait();
  } catch (const DeviceLost&) {
    return true;
  }
  return false;
}

}  // namespace dragoman
