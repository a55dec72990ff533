// What must hold of what a reader made of its input.
#pragma once

#include <cstdlib>

namespace dragoman::fuzz {

// Ends the program, which is a finding.
inline void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace dragoman::fuzz
