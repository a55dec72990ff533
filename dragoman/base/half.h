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
  const std::uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  // Denormal numbers are multiples of 2^-24. The product is a normal float: a processor may be set to flush others to
  // 0.
  if (exponent == 0) {
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24f));
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 127 - 15;  // 31 is infinity or NaN
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

}  // namespace dragoman
