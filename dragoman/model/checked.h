// Arithmetic on sizes that a user may have chosen: a result that does not fit is noticed instead of wrapping around.
#pragma once

#include <cstdint>

namespace dragoman::model {

// A whole number that remembers whether it, or anything it was made from, overflowed.
struct Checked {
  std::int64_t value = 0;
  bool overflowed = false;
  constexpr Checked(std::int64_t number) : value(number) {}  // NOLINT: a number is a checked number

  friend constexpr Checked operator+(Checked a, Checked b) {
    a.overflowed = __builtin_add_overflow(a.value, b.value, &a.value) || a.overflowed || b.overflowed;
    return a;
  }
  friend constexpr Checked operator*(Checked a, Checked b) {
    a.overflowed = __builtin_mul_overflow(a.value, b.value, &a.value) || a.overflowed || b.overflowed;
    return a;
  }
  constexpr bool at_most(std::int64_t limit) const { return !overflowed && value <= limit; }
};

}  // namespace dragoman::model
