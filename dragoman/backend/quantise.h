// Rounding of numbers to 8-bit integers: x is approximately scale * q, with one scale for each row of activations and
// for each column of weights.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace dragoman {

inline constexpr float kLargestInt8 = 127;  // symmetric: -128 is not used

struct Quantiser {
  float scale = 0, inverse = 0;

  // For numbers of magnitude up to `largest`, which maps to 127. If `largest` is not finite, the scale is NaN, so that
  // every product becomes NaN too. If it is below 1e-30, all numbers become zero.
  static Quantiser for_largest(float largest) {
    constexpr float kMin = 1e-30f;  // keeps the inverse finite
    if (!(largest <= std::numeric_limits<float>::max())) return {std::numeric_limits<float>::quiet_NaN(), 0};
    if (largest < kMin) return {};
    return {largest / kLargestInt8, kLargestInt8 / largest};
  }

  // The nearest integer; ties go to the even one. Requires a finite scale.
  std::int8_t operator()(float x) const { return static_cast<std::int8_t>(rounded(x * inverse)); }

  // Rounds to the nearest integer by adding and subtracting 1.5 * 2^23. T is float or a vector of floats.
  template <class T>
  static T rounded(T x) {
    constexpr float kRound = 12582912.0f;
    return (x + kRound) - kRound;
  }
};

// The largest magnitude of some numbers. The bits are compared as integers, so an infinity or a NaN counts as the
// largest.
class LargestMagnitude {
 public:
  void add(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) & 0x7FFFFFFFu;
    if (bits > bits_) bits_ = bits;
  }
  float value() const { return std::bit_cast<float>(bits_); }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace dragoman
