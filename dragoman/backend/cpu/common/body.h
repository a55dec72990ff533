// A body is the CPU backend compiled for one instruction set. Every file of backend/cpu except those of common/ is
// compiled once for each body, in the namespace DRAGOMAN_CPU_BODY (sse2, avx2, ...), which cmake/bodies.cmake defines.
// Code of a body runs only after the body was chosen, because the machine may lack its instructions.
#pragma once

#include <memory>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/cpu/common/int8_kernels.h"

namespace dragoman::cpu {

// The only symbol of a body that the rest of the program sees. It is a constant, so no code of the body runs when the
// program starts.
struct Body {
  const char* vectors;  // the vector instructions that it was compiled for: "AVX2"
  int vector_bytes;
  std::unique_ptr<Backend> (*make)(const BackendOptions& options, const Int8Kernel& int8_kernel);
};

// A CPU backend of the body and with the Int8Kernel of options.instructions.
std::unique_ptr<Backend> make_backend(const BackendOptions& options);

}  // namespace dragoman::cpu
