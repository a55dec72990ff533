// A check that what a reader made of its input is valid.
#pragma once

#include <cstdlib>

namespace dragoman::fuzz {

// Aborts the program if the condition is false; the fuzzer reports that as a finding.
inline void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace dragoman::fuzz
