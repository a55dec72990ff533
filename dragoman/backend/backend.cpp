#include "dragoman/backend/backend.h"

#include "dragoman/backend/cpu/cpu_backend.h"
#include "dragoman/backend/cpu/int8.h"
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

}  // namespace

std::string cpu_bodies() { return join(vector_instructions(), "; int8: ", cpu::int8_body().name); }

std::unique_ptr<Backend> make_backend(Device device, const BackendOptions& options) {
  require<DeviceError>(device.kind == Device::Kind::kCpu, "this build has no CUDA backend.");
  return std::make_unique<cpu::CpuBackend>(options);
}

}  // namespace dragoman
