// The tiles of an x86-64 processor with AMX, and whether this machine has them.
#pragma once

#if defined(__x86_64__)

#include "dragoman/backend/cpu/common/amx_tiles.h"

namespace dragoman::cpu::amx {

// Written as assembly: the compiler's intrinsics take no template parameters, and gcc's do not say that they read and
// write memory. The tiles are released at the end, so that the system need not save them.
class ProcessorTiles {
 public:
  ProcessorTiles() = default;
  ProcessorTiles(const ProcessorTiles&) = delete;
  ProcessorTiles& operator=(const ProcessorTiles&) = delete;
  ~ProcessorTiles() { asm volatile("tilerelease"); }

  void configure(const TileConfig& config) { asm volatile("ldtilecfg %0" : : "m"(config)); }
  template <int Tile>
  void clear() {
    asm volatile("tilezero %%tmm%c0" : : "i"(Tile));
  }
  template <int Tile>
  void load(const void* from, std::int64_t stride) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(Tile), "r"(from), "r"(stride) : "memory");
  }
  template <int Tile>
  void store(void* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(Tile), "r"(to), "r"(stride) : "memory");
  }
};

// Bytes with a sign; the sums are 32-bit integers.
struct Int8Tiles : ProcessorTiles {
  template <int C, int A, int B>
  void multiply() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }
};

// bfloat16; the sums are float32.
struct Bf16Tiles : ProcessorTiles {
  template <int C, int A, int B>
  void multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }
};

// Null if this machine can use the tiles for 8-bit integers or for bfloat16; else the reason
// (cpu/common/int8_kernels.h).
const char* why_not_int8();
const char* why_not_bf16();

}  // namespace dragoman::cpu::amx

#endif
