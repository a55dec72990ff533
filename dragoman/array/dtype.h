// Element types and devices of an Array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <type_traits>

namespace dragoman {

enum class DType : std::uint8_t { kFloat32, kFloat64, kBFloat16, kInt32, kInt8 };

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return 4;
    case DType::kFloat64: return 8;
    case DType::kBFloat16: return 2;
    case DType::kInt32: return 4;
    case DType::kInt8: return 1;
  }
  return 0;
}

std::ostream& operator<<(std::ostream& out, DType dtype);

// The type for sums, means and other values that must not be rounded to bfloat16.
constexpr DType accumulation_dtype(DType dtype) { return dtype == DType::kBFloat16 ? DType::kFloat32 : dtype; }

// The host's bfloat16: a float32 without its last 16 bits.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(double value);  // rounds to nearest, ties to even
  explicit operator double() const;
};

template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, BFloat16> ||
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int8_t>;

template <Element T>
inline constexpr DType kDTypeOf = std::is_same_v<T, float>          ? DType::kFloat32
                                  : std::is_same_v<T, double>       ? DType::kFloat64
                                  : std::is_same_v<T, BFloat16>     ? DType::kBFloat16
                                  : std::is_same_v<T, std::int32_t> ? DType::kInt32
                                                                    : DType::kInt8;

struct Device {
  enum class Kind : std::uint8_t { kCpu, kCuda };
  Kind kind = Kind::kCpu;
  int index = 0;
  bool operator==(const Device&) const = default;
};

std::ostream& operator<<(std::ostream& out, Device device);

}  // namespace dragoman
