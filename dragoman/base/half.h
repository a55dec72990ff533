// Numbers of 16 bits, as other programs store them, converted to float. Both conversions are exact.
#pragma once

#include <bit>
#include <cstdint>

namespace dragoman {

// bfloat16: the upper half of a float.
constexpr float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// IEEE binary16: 1 bit for the sign, 5 for the exponent (with a bias of 15), 10 for the fraction.
constexpr float float_from_float16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7FFF) << 13;
  // Exponent 31 is infinity or NaN in 16 bits, so the float gets its own largest exponent.
  if (magnitude >= 0x7C00u << 13) return std::bit_cast<float>(sign | 0x7F800000 | magnitude);
  // The bits are now those of a float whose exponent is too small by 127 - 15. A product corrects it, and makes a
  // normal float of a denormal number too.
  const float value = std::bit_cast<float>(magnitude) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

}  // namespace dragoman
