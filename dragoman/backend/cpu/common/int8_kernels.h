// The innermost part of products of 8-bit integers, the product of two panels. It has several implementations, each for
// one instruction set, and is compiled once, not once for each body (body.h): each function names its instructions
// itself. The sums have 32 bits and are exact, so all of them give the same result.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dragoman::cpu {

// A panel of rows or columns is [K / kInt8Group, rows or columns, kInt8Group]: for each group of eight values of k, the
// eight elements of the first row or column, then those of the next. K is padded with zeros to a multiple of eight.
inline constexpr std::int64_t kInt8Group = 8, kInt8Rows = 8;
#if defined(__x86_64__)
inline constexpr std::int64_t kInt8Cols = 16;
#else
inline constexpr std::int64_t kInt8Cols = 12;
#endif
// The largest K for which no 32-bit sum overflows: 127 * 127 * 2^17 is just below 2^31.
inline constexpr std::int64_t kInt8MaxDepth = 1 << 17;

// An implementation of the product of a panel of rows by a panel of columns: sums is [height, kInt8Cols], and height is
// even. row_sums holds the sum of the integers of each row; some instruction sets need it.
struct Int8Kernel {
  const char* name;
  bool (*runs_here)();  // whether this machine supports the instructions
  void (*multiply)(std::int64_t groups, std::int64_t height, const std::int8_t* rows, const std::int32_t* row_sums,
                   const std::int8_t* columns, std::int32_t* sums);
};

// The implementations in this build, the fastest first; the last one, "portable", runs anywhere.
std::span<const Int8Kernel> int8_kernels();
// The one of this name; null if this build has none.
const Int8Kernel* int8_kernel(std::string_view name);

// int8_neon.cpp and int8_avx.cpp define those for particular instruction sets, as far as the compiler can build them.
// gcc builds those for NEON in any case, clang only if the build enables 8-bit matrix instructions.
#if defined(__aarch64__) && (defined(__ARM_FEATURE_MATMUL_INT8) || !defined(__clang__))
#define DRAGOMAN_INT8_NEON
extern const Int8Kernel kInt8I8mm, kInt8Dotprod;
#elif defined(__x86_64__)
#define DRAGOMAN_INT8_AVX
extern const Int8Kernel kInt8Avx512Vnni, kInt8AvxVnni, kInt8Avx2;
#endif

}  // namespace dragoman::cpu
