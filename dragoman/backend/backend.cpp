#include "dragoman/backend/backend.h"

#include "dragoman/backend/cpu/cpu_backend.h"
#include "dragoman/backend/cpu/products/int8.h"
#include "dragoman/backend/cpu/simd.h"
#include "dragoman/backend/cuda/devices.h"
#include "dragoman/base/error.h"

namespace dragoman {

Array Backend::empty(const Shape& shape, DType dtype) const {
  const std::size_t bytes = static_cast<std::size_t>(shape.count()) * size_of(dtype);
  return Array(arena().push(bytes), shape, dtype, device(), &arena());
}

namespace {

constexpr const char* vector_instructions() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "portable";
#endif
}

const char* available_instructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
  if (__builtin_cpu_supports("avx")) return "AVX";
#endif
  return vector_instructions();
}

}  // namespace

CpuKernels cpu_kernels() {
  return {.vectors = vector_instructions(),
          .vector_bytes = cpu::kVectorBytes,
          .int8 = cpu::int8_kernel().name,
          .available = available_instructions()};
}

std::string cpu_instructions() {
  const CpuKernels kernels = cpu_kernels();
  return join(kernels.vectors, "; int8: ", kernels.int8);
}

int cuda_devices() { return cuda::device_count(); }

std::string cuda_version() { return cuda::toolkit_version(); }

std::string cuda_driver() { return cuda::driver_version(); }

CudaDevice cuda_device(int index) { return cuda::device(index); }

std::string device_name(Device device) {
  return device.kind == Device::Kind::kCpu ? "CPU" : cuda::device_name(device.index);
}

std::string arithmetic_of(Device device) {
  return device.kind == Device::Kind::kCpu ? "CPU" : join(device_name(device), ", ", cuda::library_version());
}

std::size_t available_memory(Device device) {
  return device.kind == Device::Kind::kCpu ? available_memory() : cuda::free_memory(device.index);
}

std::unique_ptr<Backend> make_backend(Device device, const BackendOptions& options) {
  if (device.kind == Device::Kind::kCuda) return cuda::make_backend(device.index, options);
  return std::make_unique<cpu::CpuBackend>(options);
}

}  // namespace dragoman
