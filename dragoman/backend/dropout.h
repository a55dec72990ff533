// Dropout as kernels see it: a pure function of where an element stands, so that backward recomputes the mask.
#pragma once

#include <cmath>
#include <cstdint>

#include "dragoman/base/random.h"

namespace dragoman {

// Element `channel` of a row (position p of sentence s of the update u) draws 16 bits: half-word channel % 8 of
// philox({channel / 8, p, s, u}, key), the low half of each word first. It is dropped if they are below `threshold`,
// else multiplied by scale(). Sentences are numbered within the update, so that splitting it into micro-batches,
// threads or machines does not change a mask.
struct Dropout {
  // Call sites are counted from here, away from the purposes of other random streams.
  static constexpr std::uint32_t kDropoutPurpose = 0x64000000;

  std::uint32_t threshold = 0;  // of 65,536; 0: no dropout
  std::uint32_t update = 0;
  PhiloxKey key{};  // made of the seed and the call site

  static Dropout with(double P_drop, std::uint64_t seed, std::uint32_t update, std::uint32_t site) {
    return {static_cast<std::uint32_t>(std::lround(P_drop * 65536.0)), update,
            philox_key(seed, kDropoutPurpose + site)};
  }

  bool on() const { return threshold > 0; }
  // Of the probability that was rounded to 16 bits, so that the mean is kept exactly.
  double scale() const { return 65536.0 / (65536.0 - threshold); }
};

}  // namespace dragoman
