// Integer arithmetic that notices overflow, for sizes that a user may have chosen.
#pragma once

#include <cstdint>

namespace dragoman::model {

// An integer that records whether it, or any number it was computed from, overflowed.
struct Checked {
  std::int64_t value = 0;
  bool overflowed = false;
  constexpr Checked(std::int64_t number) : value(number) {}  // NOLINT: converts implicitly

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
