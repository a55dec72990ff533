#include "dragoman/backend/cpu/common/int8_kernels.h"

#if defined(DRAGOMAN_INT8_AVX)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "dragoman/backend/cpu/common/amx_tiles.h"

namespace dragoman::cpu {

namespace {

// The tiles of the processor. Written as assembly: the compiler's intrinsics take no template parameters, and its asm
// statements do not say that they read and write memory.
struct ProcessorTiles {
  void configure(const amx::TileConfig& config) { asm volatile("ldtilecfg %0" : : "m"(config)); }
  void release() { asm volatile("tilerelease"); }
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
  // Both operands have a sign.
  template <int C, int A, int B>
  void multiply() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }
};

// Up to this many rows the product is bound by reading the columns, for which vectors do as well.
constexpr std::int64_t kFewRows = 4;

void multiply_amx(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  if (panel.height <= kFewRows) return kInt8Avx512Vnni.multiply(panel, columns, products);
  ProcessorTiles tiles;
  amx::multiply(tiles, panel.depth, panel.height, panel.rows, columns, products);
  tiles.release();
}

// Whether a product of known numbers is right: the processor, the system and an emulator between them must all work.
bool test_product() {
  constexpr std::int64_t kDepth = 64, kHeight = 17;
  alignas(64) std::int8_t rows[kHeight * kDepth], columns[kDepth * kInt8OnX86.cols];
  alignas(64) std::int32_t products[kHeight * kInt8OnX86.cols];
  const auto row_value = [](std::int64_t i, std::int64_t k) {
    return static_cast<std::int8_t>((i * 7 + k) % 255 - 127);
  };
  const auto column_value = [](std::int64_t k, std::int64_t c) {
    return static_cast<std::int8_t>((c * 5 + k * 3) % 255 - 127);
  };
  for (std::int64_t k = 0; k < kDepth; ++k) {
    for (std::int64_t i = 0; i < kHeight; ++i) rows[i * kDepth + k] = row_value(i, k);
    for (std::int64_t c = 0; c < kInt8OnX86.cols; ++c) columns[kInt8OnX86.in_columns(k, c)] = column_value(k, c);
  }
  ProcessorTiles tiles;
  amx::multiply(tiles, kDepth, kHeight, rows, columns, products);
  tiles.release();
  for (std::int64_t i = 0; i < kHeight; ++i) {
    for (std::int64_t c = 0; c < kInt8OnX86.cols; ++c) {
      std::int32_t expected = 0;
      for (std::int64_t k = 0; k < kDepth; ++k) expected += row_value(i, k) * column_value(k, c);
      if (products[i * kInt8OnX86.cols + c] != expected) return false;
    }
  }
  return true;
}

// The state components that the system saves for each thread (XCR0). Requires OSXSAVE.
std::uint64_t saved_components() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

const char* find_reason() {
  constexpr std::uint32_t kOsXsave = 1u << 27, kAmxTile = 1u << 24, kAmxInt8 = 1u << 25;
  constexpr std::uint64_t kTileConfig = 1u << 17, kTileData = 1u << 18;
  constexpr long kRequestPermission = 0x1023, kTileDataComponent = 18;  // arch_prctl's ARCH_REQ_XCOMP_PERM
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (kInt8Avx512Vnni.why_not() != nullptr) return kNotInProcessor;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAmxTile) == 0 || (d & kAmxInt8) == 0)
    return kNotInProcessor;
  const char* const refused = "which the system does not let programs use";
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) return refused;
  if ((saved_components() & (kTileConfig | kTileData)) != (kTileConfig | kTileData)) return refused;
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileDataComponent) != 0) return refused;
  return test_product() ? nullptr : "which gives wrong results on this machine";
}

// The permission is for all threads of the process, so it is asked for once.
const char* why_not_amx() {
  static const char* const reason = find_reason();
  return reason;
}

}  // namespace

const Int8Kernel kInt8Amx{"AMX", why_not_amx, multiply_amx};

}  // namespace dragoman::cpu

#endif
