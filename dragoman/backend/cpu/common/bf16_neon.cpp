#include "dragoman/backend/cpu/common/bf16_kernels.h"

#if defined(DRAGOMAN_BF16_NEON)

#include <arm_neon.h>
#include <sys/auxv.h>

#include "dragoman/backend/cpu/common/int8_kernels.h"

namespace dragoman::cpu {

namespace {

constexpr std::int64_t kVectors = kBf16.cols / 2;  // a vector holds four values of k of two columns

// `Rows` rows by the panel of columns. One instruction multiplies four values of two rows by those of two columns and
// gives four sums: those of the first row in the lower half of a vector.
template <int Rows>
[[gnu::target("arch=armv8.2-a+bf16")]] void multiply_bfmmla(std::int64_t groups, const std::uint16_t* rows,
                                                            const std::uint16_t* columns, float* products,
                                                            std::int64_t stride, bool accumulate) {
  constexpr int kPairs = Rows / 2;
  float32x4_t s[kPairs][kVectors] = {};
  if (accumulate) {
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const float* at = products + 2 * p * stride + 2 * v;
        s[p][v] = vcombine_f32(vld1_f32(at), vld1_f32(at + stride));
      }
    }
  }
  const auto* row = reinterpret_cast<const bfloat16_t*>(rows);
  const auto* column = reinterpret_cast<const bfloat16_t*>(columns);
  for (std::int64_t g = 0; g < groups; ++g) {
    bfloat16x8_t a[kPairs];
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) a[p] = vld1q_bf16(row + p * 8);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const bfloat16x8_t b = vld1q_bf16(column + v * 8);
#pragma GCC unroll 8
      for (int p = 0; p < kPairs; ++p) s[p][v] = vbfmmlaq_f32(s[p][v], a[p], b);
    }
    row += Rows * kBf16.group;
    column += kBf16.cols * kBf16.group;
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPairs; ++p) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      float* at = products + 2 * p * stride + 2 * v;
      vst1_f32(at, vget_low_f32(s[p][v]));
      vst1_f32(at + stride, vget_high_f32(s[p][v]));
    }
  }
}

void multiply_rows(const Bf16Panel& panel, const std::uint16_t* columns, float* products, std::int64_t stride,
                   bool accumulate) {
  const std::int64_t groups = panel.depth / kBf16.group;
  switch (panel.height) {
    case 2: return multiply_bfmmla<2>(groups, panel.rows, columns, products, stride, accumulate);
    case 4: return multiply_bfmmla<4>(groups, panel.rows, columns, products, stride, accumulate);
    case 6: return multiply_bfmmla<6>(groups, panel.rows, columns, products, stride, accumulate);
    default: return multiply_bfmmla<8>(groups, panel.rows, columns, products, stride, accumulate);
  }
}

}  // namespace

const Bf16Kernel kBf16Bfmmla{"bfmmla", [] { return unless((getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0); }, multiply_rows};

}  // namespace dragoman::cpu

#endif
