// How numbers become integers of 8 bits: x is about scale * q, with one scale for a row of activations or for a column
// of weights.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace dragoman {

inline constexpr float kLargestInt8 = 127;  // symmetric: -128 is not used

struct Quantiser {
  float scale = 0, inverse = 0;

  // For numbers of at most this magnitude, which becomes 127. If it is not finite the scale is NaN, which spoils every
  // product as it should; if it is next to nothing, all become zero.
  static Quantiser for_largest(float largest) {
    constexpr float kLeast = 1e-30f;  // so that the inverse is finite
    if (!(largest <= std::numeric_limits<float>::max())) return {std::numeric_limits<float>::quiet_NaN(), 0};
    if (largest < kLeast) return {};
    return {largest / kLargestInt8, kLargestInt8 / largest};
  }

  // The nearest integer, the even one of two that are equally near. Requires a finite scale.
  std::int8_t operator()(float x) const { return static_cast<std::int8_t>(rounded(x * inverse)); }

  // Adding and subtracting 1.5 * 2^23 rounds, for floats and for vectors of them.
  template <class T>
  static T rounded(T x) {
    constexpr float kRound = 12582912.0f;
    return (x + kRound) - kRound;
  }
};

// The largest magnitude of some numbers. Compared as integers, so that an infinity or NaN is the largest.
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
