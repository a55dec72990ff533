#include "dragoman/backend/cpu/common/int8_kernels.h"

#if defined(DRAGOMAN_INT8_AVX)

#include <cpuid.h>
#include <immintrin.h>

#include <algorithm>
#include <cstring>

// Each kernel is compiled for instructions that the machine may lack; why_not() says whether it has them. An
// instruction multiplies four bytes of a row by four bytes of each of the columns in a vector, and adds the products
// up.
namespace dragoman::cpu {

namespace {

std::int32_t group_at(const std::int8_t* row) {
  std::int32_t group;
  std::memcpy(&group, row, sizeof group);
  return group;
}

// The instruction needs one unsigned operand. So 128 is added to the columns (by flipping their sign bit), and 128
// times the sum of the row is subtracted at the end.
template <int Rows>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")]] void multiply_avx512(std::int64_t depth,
                                                                             const std::int8_t* rows,
                                                                             const std::int32_t* row_sums,
                                                                             const std::int8_t* columns,
                                                                             std::int32_t* products) {
  __m512i low[Rows], high[Rows];  // the first and the last 16 columns
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) low[r] = high[r] = _mm512_setzero_si512();
  const __m512i sign = _mm512_set1_epi8(-128);
  for (std::int64_t k = 0; k < depth; k += kInt8.group) {
    const __m512i b_low = _mm512_xor_si512(_mm512_loadu_si512(columns), sign);
    const __m512i b_high = _mm512_xor_si512(_mm512_loadu_si512(columns + 64), sign);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const __m512i a = _mm512_set1_epi32(group_at(rows + r * depth + k));
      low[r] = _mm512_dpbusd_epi32(low[r], b_low, a);
      high[r] = _mm512_dpbusd_epi32(high[r], b_high, a);
    }
    columns += kInt8.cols * kInt8.group;
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    const __m512i excess = _mm512_set1_epi32(128 * row_sums[r]);
    _mm512_storeu_si512(products + r * kInt8.cols, _mm512_sub_epi32(low[r], excess));
    _mm512_storeu_si512(products + r * kInt8.cols + 16, _mm512_sub_epi32(high[r], excess));
  }
}

void multiply_rows_avx512(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  using Multiply = void (*)(std::int64_t, const std::int8_t*, const std::int32_t*, const std::int8_t*, std::int32_t*);
  constexpr Multiply kMultiply[] = {multiply_avx512<1>, multiply_avx512<2>, multiply_avx512<3>, multiply_avx512<4>,
                                    multiply_avx512<5>, multiply_avx512<6>, multiply_avx512<7>, multiply_avx512<8>};
  for (std::int64_t top = 0; top < panel.height; top += 8) {
    const std::int64_t count = std::min<std::int64_t>(8, panel.height - top);
    kMultiply[count - 1](panel.depth, panel.rows + top * panel.depth, panel.sums + top, columns,
                         products + top * kInt8.cols);
  }
}

constexpr int kVectors = kInt8.cols / 8;

// The same as multiply_avx512 with vectors of 32 bytes.
template <int Rows>
[[gnu::target("avx2,avxvnni")]] void multiply_avx_vnni(std::int64_t depth, const std::int8_t* rows,
                                                       const std::int32_t* row_sums, const std::int8_t* columns,
                                                       std::int32_t* products) {
  const __m256i sign = _mm256_set1_epi8(-128);
  __m256i s[Rows][kVectors] = {};
  for (std::int64_t k = 0; k < depth; k += kInt8.group, columns += kInt8.cols * kInt8.group) {
    __m256i a[Rows];
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r) a[r] = _mm256_set1_epi32(group_at(rows + r * depth + k));
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto* at = reinterpret_cast<const __m256i*>(columns + v * 32);
      const __m256i b = _mm256_xor_si256(_mm256_loadu_si256(at), sign);
#pragma GCC unroll 2
      for (int r = 0; r < Rows; ++r) s[r][v] = _mm256_dpbusd_avx_epi32(s[r][v], b, a[r]);
    }
  }
#pragma GCC unroll 2
  for (int r = 0; r < Rows; ++r) {
    const __m256i excess = _mm256_set1_epi32(128 * row_sums[r]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      auto* to = reinterpret_cast<__m256i*>(products + r * kInt8.cols + v * 8);
      _mm256_storeu_si256(to, _mm256_sub_epi32(s[r][v], excess));
    }
  }
}

// The instruction needs one unsigned operand. So the magnitudes of the row are multiplied by the columns, which take
// over the signs of the row. The instruction adds two products in 16 bits; each is at most 127 * 127, so nothing
// saturates.
template <int Rows>
[[gnu::target("avx2")]] void multiply_avx2(std::int64_t depth, const std::int8_t* rows, const std::int8_t* columns,
                                           std::int32_t* products) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i s[Rows][kVectors] = {};
  for (std::int64_t k = 0; k < depth; k += kInt8.group, columns += kInt8.cols * kInt8.group) {
    __m256i a[Rows], magnitudes[Rows];
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r) {
      a[r] = _mm256_set1_epi32(group_at(rows + r * depth + k));
      magnitudes[r] = _mm256_abs_epi8(a[r]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns + v * 32));
#pragma GCC unroll 2
      for (int r = 0; r < Rows; ++r) {
        const __m256i pairs = _mm256_maddubs_epi16(magnitudes[r], _mm256_sign_epi8(b, a[r]));
        s[r][v] = _mm256_add_epi32(s[r][v], _mm256_madd_epi16(pairs, ones));
      }
    }
  }
#pragma GCC unroll 2
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(products + r * kInt8.cols + v * 8), s[r][v]);
    }
  }
}

// A panel, two rows at a time: with vectors of 32 bytes there are registers for no more.
void multiply_rows_avx_vnni(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  for (std::int64_t i = 0; i < panel.height; i += 2) {
    const auto multiply = i + 2 <= panel.height ? multiply_avx_vnni<2> : multiply_avx_vnni<1>;
    multiply(panel.depth, panel.rows + i * panel.depth, panel.sums + i, columns, products + i * kInt8.cols);
  }
}
void multiply_rows_avx2(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  for (std::int64_t i = 0; i < panel.height; i += 2) {
    const auto multiply = i + 2 <= panel.height ? multiply_avx2<2> : multiply_avx2<1>;
    multiply(panel.depth, panel.rows + i * panel.depth, columns, products + i * kInt8.cols);
  }
}

// Reads the CPUID bit, because not every compiler knows "avxvnni" in __builtin_cpu_supports.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}
bool has_avx512_vnni() { return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0; }

}  // namespace

const Int8Kernel kInt8Avx512Vnni{"AVX-512 VNNI", [] { return unless(has_avx512_vnni()); }, multiply_rows_avx512};
const Int8Kernel kInt8AvxVnni{"AVX-VNNI", [] { return unless(has_avx_vnni()); }, multiply_rows_avx_vnni};
const Int8Kernel kInt8Avx2{"AVX2", [] { return unless(__builtin_cpu_supports("avx2") != 0); }, multiply_rows_avx2};

}  // namespace dragoman::cpu

#endif
