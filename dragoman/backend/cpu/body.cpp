#include "dragoman/backend/cpu/common/body.h"

#include "dragoman/backend/cpu/cpu_backend.h"
#include "dragoman/backend/cpu/simd.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

constexpr const char* vector_instructions() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__x86_64__)
  return "SSE2";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "portable";
#endif
}

std::unique_ptr<Backend> make(const BackendOptions& options, const Int8Kernel& int8_kernel) {
  return std::make_unique<CpuBackend>(options, int8_kernel);
}

}  // namespace

extern const Body kBody;
constexpr Body kBody{.vectors = vector_instructions(), .vector_bytes = kVectorBytes, .make = make};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
