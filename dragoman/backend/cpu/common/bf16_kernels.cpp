#include "dragoman/backend/cpu/common/bf16_kernels.h"

#include "dragoman/base/error.h"

namespace dragoman::cpu {

namespace {

// The kernel of this architecture, whether the machine has its instructions or not.
const Bf16Kernel* kernel_of_build() {
#if defined(DRAGOMAN_BF16_NEON)
  return &kBf16Bfmmla;
#elif defined(__x86_64__)
  return &kBf16Amx;
#else
  return nullptr;
#endif
}

}  // namespace

const Bf16Kernel* bf16_kernel() {
  const Bf16Kernel* kernel = kernel_of_build();
  return kernel != nullptr && kernel->why_not() == nullptr ? kernel : nullptr;
}

std::string why_no_bf16_kernel() {
  const Bf16Kernel* kernel = kernel_of_build();
  if (kernel == nullptr) return "this build has no products of bfloat16 on the CPU";
  return join("products of bfloat16 on the CPU need ", kernel->name, ", ", kernel->why_not());
}

}  // namespace dragoman::cpu
