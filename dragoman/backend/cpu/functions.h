// Elementary functions of vectors. In float they are polynomials of our own: bench/fit_functions computes the
// coefficients, and measures the errors that are said here over all floats. In double they are those of the C library.
//
// Their bits are part of a run's results. A change of them needs a new kFunctionsVersion
// (dragoman/backend/backend.cpp), so that a run that is resumed says so.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include "dragoman/backend/cpu/simd.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// The coefficients of polynomials, that of the constant term first.
// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
inline constexpr float kExpTerms[] = {0.49999994f, 0.166665211f, 0.041668389f, 0.00836871006f, 0.00138146128f};
// (2^f - 1) / f for |f| <= 1/2.
inline constexpr float kPowerTerms[] = {0.693147004f, 0.240222424f, 0.0555073358f, 0.00967151299f, 0.00132647273f};
// (tanh x - x) / x^3 for |x| <= kTanhNear, as a polynomial in x^2.
inline constexpr float kTanhNear = 0.625f;
inline constexpr float kTanhTerms[] = {-0.333332807f, 0.133314416f, -0.0537397154f, 0.020639088f, -0.00570498733f};
// Phi(-x) e^(x^2 / 2) / t for 0 <= x <= 13.2, as a polynomial in t = 1 / (1 + kTailScale x).
inline constexpr float kTailScale = 0.34375f;
inline constexpr float kTailTerms[] = {0.137118116f, 0.13757126f,   0.116515368f, 0.113610484f,  -0.0417154357f,
                                       0.194657177f, -0.275198042f, 0.14564012f,  -0.0281990599f};

inline constexpr float kLog2E = std::numbers::log2e_v<float>;

template <std::size_t n>
inline Vec<float> polynomial(const float (&terms)[n], Vec<float> x) {
  Vec<float> p = Vec<float>{} + terms[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) p = p * x + terms[k];
  return p;
}

// e^x. In float: accurate to 1.02 units in the last place for x in [-87, 88]; 0 below -87, and e^88 above 88. A NaN
// stays a NaN if its lowest nine bits are 0, as in every NaN that arithmetic makes.
inline Vec<float> exp(Vec<float> x) {
  constexpr float kLowest = -87.0f, kHighest = 88.0f;
  const Vec<float> low = Vec<float>{} + kLowest, high = Vec<float>{} + kHighest;
  const auto vanishes = x < low;
  x = select(x > high, high, x);
  x = select(vanishes, low, x);
  // x = n ln 2 + r with |r| <= ln 2 / 2; adding and subtracting 1.5 * 2^23 rounds to the nearest integer. ln 2 is the
  // sum of two numbers, the first of which has so few bits that its products with n are exact.
  constexpr float kRound = 12582912.0f;
  constexpr float kLn2 = 0x1.62E4p-1f, kRestOfLn2 = static_cast<float>(std::numbers::ln2 - 0x1.62E4p-1);
  const Vec<float> rounded = x * kLog2E + kRound, n = rounded - kRound;
  Vec<float> r = x - n * kLn2;
  r = r - n * kRestOfLn2;
  const Vec<float> p = polynomial(kExpTerms, r) * (r * r) + r + 1.0f;
  // Multiply by 2^n by adding n to the exponent. The lowest bits of `rounded` hold n; the shift drops the others.
  const Vec<std::int32_t> result =
      std::bit_cast<Vec<std::int32_t>>(p) + (std::bit_cast<Vec<std::int32_t>>(rounded) << 23);
  return select(vanishes, Vec<float>{}, std::bit_cast<Vec<float>>(result));
}
inline Vec<double> exp(Vec<double> x) {
  for (std::int64_t i = 0; i < kLanes<double>; ++i) x[i] = std::exp(x[i]);
  return x;
}

// e^x for x <= 0, at less cost. In float: accurate to 3 units in the last place for x >= -1, 10 for x >= -10, and 70
// below; an x below -87 counts as -87. None of this makes a difference in a sum that contains e^0.
inline Vec<float> exp_up_to_zero(Vec<float> x) {
  const Vec<float> lowest = Vec<float>{} - 87.0f;
  x = select(x < lowest, lowest, x);
  // x log2 e = n + f with |f| <= 1/2. Adding kRound leaves n + 127, the exponent bits of 2^n, in the lowest bits.
  constexpr float kRound = 12583039.0f;  // 1.5 * 2^23 + 127
  const Vec<float> rounded = x * kLog2E + kRound;
  const Vec<float> f = x * kLog2E + (kRound - rounded);
  const Vec<float> p = polynomial(kPowerTerms, f) * f + 1.0f;
  return p * std::bit_cast<Vec<float>>(std::bit_cast<Vec<std::int32_t>>(rounded) << 23);
}
inline Vec<double> exp_up_to_zero(Vec<double> x) { return exp(x); }

// 1 / (1 + e^-x), computed from e^-|x|, which cannot overflow. In float: accurate to 2.5 units in the last place, and
// 0 below -87.
inline Vec<float> sigmoid(Vec<float> x) {
  using Bits = Vec<std::int32_t>;
  const Bits sign = Bits{} + std::numeric_limits<std::int32_t>::min();
  const Vec<float> e = exp(std::bit_cast<Vec<float>>(std::bit_cast<Bits>(x) | sign)), one = Vec<float>{} + 1.0f;
  return select(x < 0.0f, e, one) / (one + e);
}
inline Vec<double> sigmoid(Vec<double> x) {
  const Vec<double> e = exp(x < 0 ? x : -x);
  return (x < 0 ? e : Vec<double>{} + 1) / (1 + e);
}

// tanh x. In float: accurate to 1.5 units in the last place.
inline Vec<float> tanh(Vec<float> x) {
  using Bits = Vec<std::int32_t>;
  constexpr std::int32_t kSign = std::numeric_limits<std::int32_t>::min();
  const Bits sign = std::bit_cast<Bits>(x) & kSign;
  const auto size = std::bit_cast<Vec<float>>(std::bit_cast<Bits>(x) & ~kSign);
  // 1 - 2 / (e^2|x| + 1) loses precision near zero. There we use x + x^3 p(x^2).
  const Vec<float> z = x * x;
  const Vec<float> near = polynomial(kTanhTerms, z) * z * x + x, far = 1.0f - 2.0f / (exp(size + size) + 1.0f);
  const auto signed_far = std::bit_cast<Vec<float>>(std::bit_cast<Bits>(far) | sign);
  return select(size < kTanhNear, near, signed_far);
}
inline Vec<double> tanh(Vec<double> x) {
  for (std::int64_t i = 0; i < kLanes<double>; ++i) x[i] = std::tanh(x[i]);
  return x;
}

// Phi(x), the distribution function of the normal distribution. In float: accurate to 7 units in the last place for
// x >= -1, 12 for x >= -5 and 75 for x >= -13; below, it is less than 1e-38 and becomes 0.
inline Vec<float> normal_distribution(Vec<float> x) {
  const Vec<float> t = 1.0f / (1.0f + kTailScale * select(x < 0.0f, -x, x));
  const Vec<float> tail = t * polynomial(kTailTerms, t) * exp(x * x * -0.5f);
  return select(x < 0.0f, tail, 1.0f - tail);
}
inline Vec<double> normal_distribution(Vec<double> x) {
  for (std::int64_t i = 0; i < kLanes<double>; ++i) x[i] = 0.5 * std::erfc(-x[i] * 0.70710678118654752440);
  return x;
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
