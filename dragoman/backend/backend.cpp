#include "dragoman/backend/backend.h"

#include "dragoman/backend/cpu/cpu_backend.h"
#include "dragoman/base/error.h"

namespace dragoman {

Array Backend::empty(const Shape& shape, DType dtype) const {
  const std::size_t bytes = static_cast<std::size_t>(shape.count()) * size_of(dtype);
  return Array(arena().push(bytes), shape, dtype, device(), &arena());
}

std::unique_ptr<Backend> make_backend(Device device, const BackendOptions& options) {
  require<DeviceError>(device.kind == Device::Kind::kCpu, "this build has no CUDA backend.");
  return std::make_unique<cpu::CpuBackend>(options);
}

}  // namespace dragoman
