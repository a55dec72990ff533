#include "dragoman/backend/cpu/common/int8_kernels.h"

#if defined(DRAGOMAN_INT8_NEON)

#include <arm_neon.h>
#include <sys/auxv.h>

// Each kernel is compiled for instructions that the machine may lack; why_not() says whether it has them.
namespace dragoman::cpu {

namespace {

// A group is kInt8.group = 8 consecutive elements of a row or column. A vector of 16 bytes holds the groups of two
// columns.
constexpr std::int64_t kVectors = kInt8.cols / 2;

// `Rows` rows by the panel of columns. One instruction multiplies the groups of two rows by those of two columns and
// gives four sums.
template <int Rows>
[[gnu::target("arch=armv8.2-a+i8mm")]] void multiply_i8mm(std::int64_t groups, const std::int8_t* rows,
                                                          const std::int8_t* columns, std::int32_t* sums) {
  constexpr int kPairs = Rows / 2;
  int32x4_t s[kPairs][kVectors] = {};
  for (std::int64_t g = 0; g < groups; ++g) {
    int8x16_t a[kPairs];
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) a[p] = vld1q_s8(rows + p * 16);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const int8x16_t b = vld1q_s8(columns + v * 16);
#pragma GCC unroll 8
      for (int p = 0; p < kPairs; ++p) s[p][v] = vmmlaq_s32(s[p][v], a[p], b);
    }
    rows += Rows * kInt8.group;
    columns += kInt8.cols * kInt8.group;
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPairs; ++p) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; v += 2) {
      const int64x2_t left = vreinterpretq_s64_s32(s[p][v]), right = vreinterpretq_s64_s32(s[p][v + 1]);
      vst1q_s32(sums + 2 * p * kInt8.cols + 2 * v, vreinterpretq_s32_s64(vuzp1q_s64(left, right)));
      vst1q_s32(sums + (2 * p + 1) * kInt8.cols + 2 * v, vreinterpretq_s32_s64(vuzp2q_s64(left, right)));
    }
  }
}

// Writes four vectors as columns: vector c has the sums of column c, one for each of four rows.
[[gnu::target("arch=armv8.2-a+dotprod")]] inline void store_columns(const int32x4_t* s, std::int32_t* sums) {
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd) {
    const int64x2_t left = vreinterpretq_s64_s32(odd == 0 ? vtrn1q_s32(s[0], s[1]) : vtrn2q_s32(s[0], s[1]));
    const int64x2_t right = vreinterpretq_s64_s32(odd == 0 ? vtrn1q_s32(s[2], s[3]) : vtrn2q_s32(s[2], s[3]));
    vst1q_s32(sums + odd * kInt8.cols, vreinterpretq_s32_s64(vtrn1q_s64(left, right)));
    vst1q_s32(sums + (2 + odd) * kInt8.cols, vreinterpretq_s32_s64(vtrn2q_s64(left, right)));
  }
}

// 4 * `Quads` of the `height` rows by the panel of columns. One instruction multiplies half a group of four rows by
// half a group of one column, which it takes from a quarter of a vector, and gives the sums of the four rows. So a
// vector of columns is loaded once for all rows, and eight rows need no more sums than there are registers.
template <int Quads>
[[gnu::target("arch=armv8.2-a+dotprod")]] void multiply_dotprod(std::int64_t groups, std::int64_t height,
                                                                const std::int8_t* rows, const std::int8_t* columns,
                                                                std::int32_t* sums) {
  int32x4_t s[Quads][kInt8.cols] = {};
  for (std::int64_t g = 0; g < groups; ++g) {
    int8x16_t low[Quads], high[Quads];  // the halves of the groups of four rows
#pragma GCC unroll 8
    for (int q = 0; q < Quads; ++q) {
      const int32x4_t two = vreinterpretq_s32_s8(vld1q_s8(rows + q * 32)),
                      more = vreinterpretq_s32_s8(vld1q_s8(rows + q * 32 + 16));
      low[q] = vreinterpretq_s8_s32(vuzp1q_s32(two, more));
      high[q] = vreinterpretq_s8_s32(vuzp2q_s32(two, more));
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const int8x16_t b = vld1q_s8(columns + v * 16);
#pragma GCC unroll 8
      for (int q = 0; q < Quads; ++q) {
        s[q][2 * v] = vdotq_laneq_s32(s[q][2 * v], low[q], b, 0);
        s[q][2 * v + 1] = vdotq_laneq_s32(s[q][2 * v + 1], low[q], b, 2);
      }
#pragma GCC unroll 8
      for (int q = 0; q < Quads; ++q) {
        s[q][2 * v] = vdotq_laneq_s32(s[q][2 * v], high[q], b, 1);
        s[q][2 * v + 1] = vdotq_laneq_s32(s[q][2 * v + 1], high[q], b, 3);
      }
    }
    rows += height * kInt8.group;
    columns += kInt8.cols * kInt8.group;
  }
#pragma GCC unroll 8
  for (int q = 0; q < Quads; ++q) {
#pragma GCC unroll 8
    for (int c = 0; c < kInt8.cols; c += 4) store_columns(&s[q][c], sums + 4 * q * kInt8.cols + c);
  }
}

// Two rows by the panel of columns. One instruction multiplies the group of one row by the groups of two columns and
// gives four sums, one for each half of each column's group; the halves are added at the end.
[[gnu::target("arch=armv8.2-a+dotprod")]] void multiply_two_dotprod(std::int64_t groups, std::int64_t height,
                                                                    const std::int8_t* rows, const std::int8_t* columns,
                                                                    std::int32_t* sums) {
  int32x4_t s[2][kVectors] = {};
  for (std::int64_t g = 0; g < groups; ++g) {
    int8x16_t a[2];
#pragma GCC unroll 8
    for (int r = 0; r < 2; ++r) a[r] = vcombine_s8(vld1_s8(rows + r * 8), vld1_s8(rows + r * 8));
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const int8x16_t b = vld1q_s8(columns + v * 16);
#pragma GCC unroll 8
      for (int r = 0; r < 2; ++r) s[r][v] = vdotq_s32(s[r][v], a[r], b);
    }
    rows += height * kInt8.group;
    columns += kInt8.cols * kInt8.group;
  }
#pragma GCC unroll 8
  for (int r = 0; r < 2; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; v += 2) vst1q_s32(sums + r * kInt8.cols + 2 * v, vpaddq_s32(s[r][v], s[r][v + 1]));
  }
}

void multiply_rows_i8mm(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  const std::int64_t groups = panel.depth / kInt8.group;
  switch (panel.height) {
    case 2: return multiply_i8mm<2>(groups, panel.rows, columns, products);
    case 4: return multiply_i8mm<4>(groups, panel.rows, columns, products);
    case 6: return multiply_i8mm<6>(groups, panel.rows, columns, products);
    default: return multiply_i8mm<8>(groups, panel.rows, columns, products);
  }
}

void multiply_rows_dotprod(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  const std::int64_t groups = panel.depth / kInt8.group, height = panel.height;
  if (height == 8) return multiply_dotprod<2>(groups, height, panel.rows, columns, products);
  const std::int64_t quad = height >= 4 ? 4 : 0;
  if (quad > 0) multiply_dotprod<1>(groups, height, panel.rows, columns, products);
  if (quad == height) return;
  multiply_two_dotprod(groups, height, panel.rows + quad * kInt8.group, columns, products + quad * kInt8.cols);
}

}  // namespace

const Int8Kernel kInt8I8mm{"i8mm", [] { return unless((getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0); },
                           multiply_rows_i8mm};
const Int8Kernel kInt8Dotprod{"dotprod", [] { return unless((getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0); },
                              multiply_rows_dotprod};

}  // namespace dragoman::cpu

#endif
