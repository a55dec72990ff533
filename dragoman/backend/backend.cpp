#include "dragoman/backend/backend.h"

#include "dragoman/backend/cpu/common/body.h"
#include "dragoman/backend/cuda/devices.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/base/error.h"

namespace dragoman {

Array Backend::empty(const Shape& shape, DType dtype) const {
  const std::size_t bytes = static_cast<std::size_t>(shape.count()) * size_of(dtype);
  return Array(arena().push(bytes), shape, dtype, device(), &arena());
}

int cuda_devices() { return cuda::device_count(); }

std::string cuda_version() { return cuda::toolkit_version(); }

std::string cuda_driver() { return cuda::driver_version(); }

CudaDevice cuda_device(int index) { return cuda::device(index); }

std::string device_name(Device device) {
  return device.kind == Device::Kind::kCpu ? "CPU" : cuda::device_name(device.index);
}

std::string arithmetic_of(Device device) {
  if (device.kind == Device::Kind::kCpu) {
    constexpr int kFunctionsVersion = 2;  // of exp, tanh and others in backend/cpu/functions.h; 1 was not written
    return join(device_name(device), ", ", used_instructions().vectors, ", functions ", kFunctionsVersion);
  }
  return join(device_name(device), ", ", cuda::multiprocessors(device.index), " multiprocessors, ",
              cuda::library_version());
}

std::size_t available_memory(Device device) {
  return device.kind == Device::Kind::kCpu ? available_memory() : cuda::free_memory(device.index);
}

std::unique_ptr<Backend> make_backend(Device device, const BackendOptions& options) {
  if (device.kind == Device::Kind::kCuda) return cuda::make_backend(device.index, options);
  return cpu::make_backend(options);
}

}  // namespace dragoman
