// Products of float32 matrices that are rounded to bfloat16, with sums in float32. A Bf16Kernel multiplies the panels.
//
// The steps are those of gemm.h. A sum is stored in C between ranges of k and loaded again, so its bits depend on K
// alone.
#pragma once

#include <cstdint>

#include "dragoman/backend/cpu/products/bf16_packing.h"
#include "dragoman/backend/cpu/products/gemm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// Rows of A, rounded and packed into panels.
struct Bf16Rows {
  const Bf16Kernel& kernel;
  std::int64_t rows, depth;
  const std::uint16_t* panels;  // row i, if it is the first of a strip, is at i * depth
};
// C = A B, or += if it accumulates. Panel p of B starts at columns + p * apart and has at least the depth of A.
void multiply_bf16(const Bf16Rows& A, const std::uint16_t* columns, std::int64_t apart, Matrix<float> C,
                   bool accumulate);

// The operands of a product for run_product. Packed, op(A) has its ranges of k one after the other, each with all rows.
struct Bf16Operands {
  using Element = std::uint16_t;
  static constexpr std::int64_t kUnit = kBf16.together;
  static constexpr std::int64_t kWidth = kBf16.cols, kRange = 512;  // a block of A takes 128 KiB, or 384 with AVX-512

  const Bf16Kernel& kernel;

  std::int64_t size_of_A(const Product<float>& p) const {
    return divide_up(p.M, kBf16.together) * kBf16.together * kBf16.depth(p.K);
  }
  std::int64_t size_of_B(const Product<float>& p) const { return divide_up(p.N, kWidth) * kBf16.depth(p.K) * kWidth; }
  static bool reads_in_place(const Product<float>&) { return false; }  // op(A) has to be rounded
  void pack_A(const Product<float>& p, std::int64_t piece, std::uint16_t* packed) const;
  void pack_B(const Product<float>& p, std::int64_t piece, std::uint16_t* packed) const;
  void multiply_block(const Product<float>& p, const std::uint16_t* packed_A, const std::uint16_t* packed_B,
                      const Extent& extent, Matrix<float> C, bool accumulate) const;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
