#include "dragoman/backend/cpu/common/amx.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dragoman/backend/cpu/common/bf16_kernels.h"
#include "dragoman/backend/cpu/common/int8_kernels.h"

namespace dragoman::cpu {

namespace amx {

namespace {

// The state components that the system saves for each thread (XCR0). Requires OSXSAVE.
std::uint64_t saved_components() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

// Whether the tiles may be used. `feature` is a bit of EDX of CPUID leaf 7.
const char* why_no_tiles(std::uint32_t feature) {
  constexpr std::uint32_t kOsXsave = 1u << 27, kAmxTile = 1u << 24;
  constexpr std::uint64_t kTileConfig = 1u << 17, kTileData = 1u << 18;
  constexpr long kRequestPermission = 0x1023, kTileDataComponent = 18;  // arch_prctl's ARCH_REQ_XCOMP_PERM
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAmxTile) == 0 || (d & feature) == 0) return kNotInProcessor;
  const char* const refused = "which the system does not let programs use";
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) return refused;
  if ((saved_components() & (kTileConfig | kTileData)) != (kTileConfig | kTileData)) return refused;
  // For all threads of the process.
  return syscall(SYS_arch_prctl, kRequestPermission, kTileDataComponent) == 0 ? nullptr : refused;
}

// Whether a product of small integers is right. Their bits are `to_bits(value)`, of type Bits, and the sums, of type
// Sum, are exact. The processor, the system and an emulator between them must all work.
template <class Tiles, class Bits, class Sum, class ToBits>
bool test_product(const PanelLayout& layout, const ToBits& to_bits) {
  constexpr std::int64_t kHeight = 17, kMostDepth = 64, kCols = 32;
  const std::int64_t depth = layout.padding;
  alignas(64) Bits rows[kHeight * kMostDepth], columns[kMostDepth * kCols];
  alignas(64) Sum products[kHeight * kCols];
  const auto row_value = [](std::int64_t i, std::int64_t k) { return static_cast<int>((i * 7 + k) % 255) - 127; };
  const auto column_value = [](std::int64_t k, std::int64_t c) {
    return static_cast<int>((c * 5 + k * 3) % 255) - 127;
  };
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t i = 0; i < kHeight; ++i) rows[layout.in_rows(depth, kHeight, i, k)] = to_bits(row_value(i, k));
    for (std::int64_t c = 0; c < kCols; ++c) columns[layout.in_columns(k, c)] = to_bits(column_value(k, c));
  }
  Tiles tiles;
  multiply(
      tiles,
      {depth * static_cast<std::int64_t>(sizeof(Bits)), kHeight, reinterpret_cast<const char*>(rows),
       reinterpret_cast<const char*>(columns), reinterpret_cast<char*>(products), kColumnBytes, layout.together > 1},
      false);
  for (std::int64_t i = 0; i < kHeight; ++i) {
    for (std::int64_t c = 0; c < kCols; ++c) {
      int expected = 0;
      for (std::int64_t k = 0; k < depth; ++k) expected += row_value(i, k) * column_value(k, c);
      if (products[i * kCols + c] != static_cast<Sum>(expected)) return false;
    }
  }
  return true;
}

constexpr const char* kWrong = "which gives wrong results on this machine";

const char* find_reason_int8() {
  if (kInt8Avx512Vnni.why_not() != nullptr) return kNotInProcessor;  // for products of few rows
  if (const char* reason = why_no_tiles(1u << 25)) return reason;
  const auto to_bits = [](int value) { return static_cast<std::int8_t>(value); };
  return test_product<Int8Tiles, std::int8_t, std::int32_t>(kInt8OnX86, to_bits) ? nullptr : kWrong;
}

const char* find_reason_bf16() {
  // Products round their operands with an instruction of this extension (products/bf16_packing.h).
  constexpr std::uint32_t kAvx512Bf16 = 1u << 5;
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0 || (a & kAvx512Bf16) == 0) return kNotInProcessor;
  if (const char* reason = why_no_tiles(1u << 22)) return reason;
  const auto to_bits = [](int value) { return bf16_bits(static_cast<float>(value)); };
  return test_product<Bf16Tiles, std::uint16_t, float>(kBf16OnX86, to_bits) ? nullptr : kWrong;
}

}  // namespace

const char* why_not_int8() {
  static const char* const reason = find_reason_int8();
  return reason;
}

const char* why_not_bf16() {
  static const char* const reason = find_reason_bf16();
  return reason;
}

}  // namespace amx

namespace {

// Up to this many rows the product is bound by reading the columns, for which vectors do as well.
constexpr std::int64_t kFewRows = 4;

void multiply_int8(const Int8Panel& panel, const std::int8_t* columns, std::int32_t* products) {
  if (panel.height <= kFewRows) return kInt8Avx512Vnni.multiply(panel, columns, products);
  amx::Int8Tiles tiles;
  amx::multiply(tiles,
                {panel.depth, panel.height, reinterpret_cast<const char*>(panel.rows),
                 reinterpret_cast<const char*>(columns), reinterpret_cast<char*>(products), amx::kColumnBytes, false},
                false);
}

void multiply_bf16(const Bf16Panel& panel, const std::uint16_t* columns, float* products, std::int64_t stride,
                   bool accumulate) {
  amx::Bf16Tiles tiles;
  amx::multiply(tiles,
                {panel.depth * 2, panel.height, reinterpret_cast<const char*>(panel.rows),
                 reinterpret_cast<const char*>(columns), reinterpret_cast<char*>(products), stride * 4, true},
                accumulate);
}

}  // namespace

const Int8Kernel kInt8Amx{"AMX", amx::why_not_int8, multiply_int8};
const Bf16Kernel kBf16Amx{"AMX", amx::why_not_bf16, multiply_bf16};

}  // namespace dragoman::cpu

#endif
