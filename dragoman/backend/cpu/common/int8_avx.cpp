#include "dragoman/backend/cpu/common/int8_kernels.h"

#if defined(DRAGOMAN_INT8_AVX)

#include <cpuid.h>
#include <immintrin.h>

#include <cstring>

// Each kernel is compiled for instructions that the machine may lack; runs_here() says whether it has them. All kernels
// keep the dot product of a row and a column as two sums in neighbouring lanes, one for each half of a group, and add
// the two at the end.
namespace dragoman::cpu {

namespace {

std::int64_t group_at(const std::int8_t* row) {
  std::int64_t group;
  std::memcpy(&group, row, sizeof group);
  return group;
}

// The instruction needs one unsigned operand. So 128 is added to the columns (by flipping their sign bit), and 128
// times the sum of the row is subtracted at the end.
template <int Rows>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")]] void multiply_avx512(std::int64_t groups,
                                                                             const std::int8_t* rows,
                                                                             const std::int32_t* row_sums,
                                                                             const std::int8_t* columns,
                                                                             std::int32_t* sums) {
  __m512i low[Rows], high[Rows];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) low[r] = high[r] = _mm512_setzero_si512();
  const __m512i sign = _mm512_set1_epi8(-128);
  for (std::int64_t g = 0; g < groups; ++g) {
    const __m512i b_low = _mm512_xor_si512(_mm512_loadu_si512(columns), sign);
    const __m512i b_high = _mm512_xor_si512(_mm512_loadu_si512(columns + 64), sign);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const __m512i a = _mm512_set1_epi64(group_at(rows + r * kInt8Group));
      low[r] = _mm512_dpbusd_epi32(low[r], b_low, a);
      high[r] = _mm512_dpbusd_epi32(high[r], b_high, a);
    }
    rows += Rows * kInt8Group;
    columns += kInt8Cols * kInt8Group;
  }
  // Adds neighbouring lanes: the even lanes of `low` and `high` plus the odd ones.
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512i sum = _mm512_add_epi32(_mm512_permutex2var_epi32(low[r], even, high[r]),
                                         _mm512_permutex2var_epi32(low[r], odd, high[r]));
    _mm512_storeu_si512(sums + r * kInt8Cols, _mm512_sub_epi32(sum, _mm512_set1_epi32(128 * row_sums[r])));
  }
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")]] void multiply_rows_avx512(
    std::int64_t groups, std::int64_t height, const std::int8_t* rows, const std::int32_t* row_sums,
    const std::int8_t* columns, std::int32_t* sums) {
  switch (height) {
    case 2: return multiply_avx512<2>(groups, rows, row_sums, columns, sums);
    case 4: return multiply_avx512<4>(groups, rows, row_sums, columns, sums);
    case 6: return multiply_avx512<6>(groups, rows, row_sums, columns, sums);
    default: return multiply_avx512<8>(groups, rows, row_sums, columns, sums);
  }
}

// The same with vectors of 32 bytes, for two rows at a time.
[[gnu::target("avx2,avxvnni")]] void multiply_rows_avx_vnni(std::int64_t groups, std::int64_t height,
                                                            const std::int8_t* rows, const std::int32_t* row_sums,
                                                            const std::int8_t* columns, std::int32_t* sums) {
  const __m256i sign = _mm256_set1_epi8(-128);
  for (std::int64_t first = 0; first < height; first += 2) {
    __m256i s[2][4] = {};
    const std::int8_t* row = rows + first * kInt8Group;
    const std::int8_t* column = columns;
    for (std::int64_t g = 0; g < groups; ++g) {
      const __m256i a0 = _mm256_set1_epi64x(group_at(row)), a1 = _mm256_set1_epi64x(group_at(row + kInt8Group));
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        const auto* at = reinterpret_cast<const __m256i*>(column + v * 32);
        const __m256i b = _mm256_xor_si256(_mm256_loadu_si256(at), sign);
        s[0][v] = _mm256_dpbusd_avx_epi32(s[0][v], b, a0);
        s[1][v] = _mm256_dpbusd_avx_epi32(s[1][v], b, a1);
      }
      row += height * kInt8Group;
      column += kInt8Cols * kInt8Group;
    }
    // hadd adds neighbouring lanes of two vectors, but interleaves their halves; 0xD8 puts the columns in order again.
#pragma GCC unroll 2
    for (int r = 0; r < 2; ++r) {
      const __m256i excess = _mm256_set1_epi32(128 * row_sums[first + r]);
#pragma GCC unroll 2
      for (int v = 0; v < 4; v += 2) {
        const __m256i sum = _mm256_permute4x64_epi64(_mm256_hadd_epi32(s[r][v], s[r][v + 1]), 0xD8);
        auto* to = reinterpret_cast<__m256i*>(sums + (first + r) * kInt8Cols + v * 4);
        _mm256_storeu_si256(to, _mm256_sub_epi32(sum, excess));
      }
    }
  }
}

// The instruction needs one unsigned operand. So the magnitudes of the row are multiplied by the columns, which take
// over the signs of the row. The instruction adds two products in 16 bits; each is at most 127 * 127, so nothing
// saturates.
[[gnu::target("avx2")]] void multiply_rows_avx2(std::int64_t groups, std::int64_t height, const std::int8_t* rows,
                                                const std::int32_t*, const std::int8_t* columns, std::int32_t* sums) {
  const __m256i ones = _mm256_set1_epi16(1);
  for (std::int64_t first = 0; first < height; first += 2) {
    __m256i s[2][4] = {};
    const std::int8_t* row = rows + first * kInt8Group;
    const std::int8_t* column = columns;
    for (std::int64_t g = 0; g < groups; ++g) {
      const __m256i a0 = _mm256_set1_epi64x(group_at(row)), a1 = _mm256_set1_epi64x(group_at(row + kInt8Group));
      const __m256i u0 = _mm256_abs_epi8(a0), u1 = _mm256_abs_epi8(a1);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(column + v * 32));
        const __m256i p0 = _mm256_maddubs_epi16(u0, _mm256_sign_epi8(b, a0));
        const __m256i p1 = _mm256_maddubs_epi16(u1, _mm256_sign_epi8(b, a1));
        s[0][v] = _mm256_add_epi32(s[0][v], _mm256_madd_epi16(p0, ones));
        s[1][v] = _mm256_add_epi32(s[1][v], _mm256_madd_epi16(p1, ones));
      }
      row += height * kInt8Group;
      column += kInt8Cols * kInt8Group;
    }
    // hadd adds neighbouring lanes of two vectors, but interleaves their halves; 0xD8 puts the columns in order again.
#pragma GCC unroll 2
    for (int r = 0; r < 2; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < 4; v += 2) {
        const __m256i sum = _mm256_permute4x64_epi64(_mm256_hadd_epi32(s[r][v], s[r][v + 1]), 0xD8);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + (first + r) * kInt8Cols + v * 4), sum);
      }
    }
  }
}

}  // namespace

namespace {

// Reads the CPUID bit, because not every compiler knows "avxvnni" in __builtin_cpu_supports.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}

}  // namespace

const Int8Kernel kInt8Avx512Vnni{
    "AVX-512 VNNI", [] { return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") != 0; },
    multiply_rows_avx512};
const Int8Kernel kInt8AvxVnni{"AVX-VNNI", has_avx_vnni, multiply_rows_avx_vnni};
const Int8Kernel kInt8Avx2{"AVX2", [] { return __builtin_cpu_supports("avx2") != 0; }, multiply_rows_avx2};

}  // namespace dragoman::cpu

#endif
