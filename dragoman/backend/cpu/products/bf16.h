// Products of float32 matrices that are rounded to bfloat16, with sums in float32. A Bf16Kernel multiplies the panels.
//
// The steps are those of gemm.h: all of op(B) is packed into panels of columns, and each block of C packs its rows of
// op(A), for some values of k at a time. A sum is stored in C between these ranges and loaded again, so its bits
// depend on K alone.
#pragma once

#include <cstdint>

#include "dragoman/backend/cpu/products/bf16_packing.h"
#include "dragoman/backend/cpu/products/gemm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// Rows of A, rounded and packed into panels of kBf16.rows rows.
struct Bf16Rows {
  const Bf16Kernel& kernel;
  std::int64_t rows, depth;
  const std::uint16_t* panels;  // kBf16.rows * depth each
};
// C = A B, or += if it accumulates. Panel p of B starts at columns + p * apart and has at least the depth of A.
void multiply_bf16(const Bf16Rows& A, const std::uint16_t* columns, std::int64_t apart, Matrix<float> C,
                   bool accumulate);

// The panels of op(B), and the number of elements that they take together.
inline std::int64_t panels_of_bf16_B(const Product<float>& p) { return divide_up(p.N, kBf16.cols); }
inline std::int64_t bf16_packed_size(const Product<float>& p) {
  return panels_of_bf16_B(p) * kBf16.depth(p.K) * kBf16.cols;
}
// Packs one of the pack_pieces(panels_of_bf16_B(p), p.K) pieces of op(B).
void pack_bf16_B(const Product<float>& p, std::int64_t piece, std::uint16_t* packed);
// C = op(A) op(B), or += if it accumulates, for one block of C.
void multiply_bf16_block(const Bf16Kernel& kernel, const Product<float>& p, const std::uint16_t* packed_B,
                         const Extent& extent, Matrix<float> C, bool accumulate);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
