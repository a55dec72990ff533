// A candidate is the float product of the CPU backend (backend/cpu/products) compiled with other sizes of tiles and
// blocks. bench/CMakeLists.txt compiles candidate.cpp and the product once for each, in a namespace of its own.
#pragma once

#include <cstdint>

#include "dragoman/base/threads.h"

namespace dragoman::bench {

// C [M, N] = op(A) op(B). A is [M, K], or [K, M] if it is transposed; B is [K, N], or [N, K].
struct Operands {
  std::int64_t M, N, K;
  bool transposed_A, transposed_B;
  float *A, *B, *C;
};

struct Candidate {
  const char* name;  // rows of a tile x vectors of its rows x depth x rows of a block
  std::int64_t (*packed_size)(const Operands& operands);  // floats that `multiply` needs for the packed operands
  void (*multiply)(ThreadTeam& team, const Operands& operands, float* packed);
};

}  // namespace dragoman::bench
