// The innermost part of products of 8-bit integers, the product of two panels (panel_layout.h). It has several
// implementations, each for one instruction set, and is compiled once, not once for each body (body.h): each function
// names its instructions itself. The sums have 32 bits and are exact, so all of them give the same result.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dragoman/backend/cpu/common/panel_layout.h"

namespace dragoman::cpu {

// A panel of rows to be multiplied. `sums` has the sum of the integers of each row; some instruction sets need it.
struct Int8Panel {
  std::int64_t depth, height;
  const std::int8_t* rows;
  const std::int32_t* sums;
};

// An implementation of the product of a panel of rows by a panel of columns of the same depth: `products` is
// [height, kInt8.cols].
struct Int8Kernel {
  const char* name;
  // Null if this machine supports the instructions. Otherwise the reason, as it follows the name of the instructions:
  // "which this processor does not have".
  const char* (*why_not)();
  void (*multiply)(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products);
};

inline constexpr const char* kNotInProcessor = "which this processor does not have";
// The reason for a kernel whose instructions the processor has or not.
constexpr const char* unless(bool has) { return has ? nullptr : kNotInProcessor; }

// The implementations in this build, the fastest first; the last one, "portable", runs anywhere.
std::span<const Int8Kernel> int8_kernels();
// The one of this name; null if this build has none.
const Int8Kernel* int8_kernel(std::string_view name);

// int8_neon.cpp, int8_avx.cpp and amx.cpp define those for particular instruction sets, as far as the compiler can
// build them. gcc builds those for NEON in any case, clang only if the build enables 8-bit matrix instructions.
#if defined(__aarch64__) && (defined(__ARM_FEATURE_MATMUL_INT8) || !defined(__clang__))
#define DRAGOMAN_INT8_NEON
extern const Int8Kernel kInt8I8mm, kInt8Dotprod;
#elif defined(__x86_64__)
#define DRAGOMAN_INT8_AVX
extern const Int8Kernel kInt8Amx, kInt8Avx512Vnni, kInt8AvxVnni, kInt8Avx2;
#endif

}  // namespace dragoman::cpu
