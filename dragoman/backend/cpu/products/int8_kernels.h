// The Int8Kernels for particular instruction sets, as far as the compiler can build them: int8_neon.cpp and
// int8_avx.cpp define them. gcc builds those for NEON in any case, clang only if the build enables 8-bit matrix
// instructions.
#pragma once

#include "dragoman/backend/cpu/products/int8.h"

namespace dragoman::cpu {

#if defined(__aarch64__) && (defined(__ARM_FEATURE_MATMUL_INT8) || !defined(__clang__))
#define DRAGOMAN_INT8_NEON
extern const Int8Kernel kInt8I8mm, kInt8Dotprod;
#elif defined(__x86_64__)
#define DRAGOMAN_INT8_AVX
extern const Int8Kernel kInt8Avx512Vnni, kInt8AvxVnni, kInt8Avx2;
#endif

}  // namespace dragoman::cpu
