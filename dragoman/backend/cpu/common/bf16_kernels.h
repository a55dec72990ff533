// The innermost part of products of bfloat16 with sums in float32: the product of two panels (panel_layout.h). Like the
// kernels of 8-bit products it is outside the bodies (body.h). A sum runs along k in an order that the instruction
// decides, so each kernel has bits of its own, which do not depend on other rows and columns.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "dragoman/backend/cpu/common/panel_layout.h"

namespace dragoman::cpu {

// The bits of a float as bfloat16, rounded to nearest, ties to even. A NaN stays a NaN.
inline std::uint16_t bf16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16, quiet = bits >> 16 | 0x40;
  return static_cast<std::uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? quiet : rounded);
}

struct Bf16Panel {
  std::int64_t depth, height;
  const std::uint16_t* rows;
};

// products = panel * columns, or += if it accumulates, for a panel of columns of the same depth. `products` is
// [height, kBf16.cols], and its rows are `stride` floats apart.
struct Bf16Kernel {
  const char* name;
  const char* (*why_not)();  // as in Int8Kernel
  void (*multiply)(const Bf16Panel& panel, const std::uint16_t* columns, float* products, std::int64_t stride,
                   bool accumulate);
};

// The kernel of this machine; null if it has none.
const Bf16Kernel* bf16_kernel();
// Why there is none, as part of a sentence: "products of bfloat16 on the CPU need AMX, which this processor does not
// have".
std::string why_no_bf16_kernel();

#if defined(__aarch64__) && (defined(__ARM_FEATURE_BF16) || !defined(__clang__))
#define DRAGOMAN_BF16_NEON
extern const Bf16Kernel kBf16Bfmmla;
#elif defined(__x86_64__)
extern const Bf16Kernel kBf16Amx;
#endif

}  // namespace dragoman::cpu
