// The product of the tensor cores, the instruction m16n8k16: a warp multiplies 16 x 16 by 16 x 8 numbers of bf16 and
// adds the result to 16 x 8 sums in float32. All three are spread over the registers of the warp. Lane l = 4 q + t
// holds
//
//     the sums c[4]:                          column 2 t   column 2 t + 1
//                                row q           c[0]          c[1]
//                                row q + 8       c[2]          c[3]
//     the left side a[4], two    row q           a[0] with depth 2 t, 2 t + 1    a[2] with depth 2 t + 8, 2 t + 9
//     numbers in each:           row q + 8       a[1]                            a[3]
//     the right side b0, b1:     column q        b0 with depth 2 t, 2 t + 1      b1 with depth 2 t + 8, 2 t + 9
//
// So the four lanes of a quad (those with the same q) hold rows q and q + 8 of the sums completely.
#pragma once

#include <cstdint>

namespace dragoman::cuda {

// c += a b.
__device__ inline void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace dragoman::cuda
