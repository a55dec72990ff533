// Dropout as kernels see it: whether an element is dropped is a pure function of its place, so backward can recompute
// the mask instead of storing it.
#pragma once

#include <cmath>
#include <cstdint>

#include "dragoman/base/random.h"

namespace dragoman {

// Element `channel` of a row has 16 random bits. If the row is position p of sentence s in update u, they are half-word
// channel % 8 of philox({channel / 8, p, s, u}, key). Its four 32-bit words are eight half-words: the low half of a
// word comes before its high half. The element is dropped if its bits are below `threshold`; otherwise it is multiplied
// by scale(). Sentences are numbered within the update, so splitting the update into micro-batches, threads or machines
// does not change a mask.
struct Dropout {
  // Call site i uses the random stream with purpose kDropoutPurpose + i. Streams for other things have other purposes.
  static constexpr std::uint32_t kDropoutPurpose = 0x64000000;

  std::uint32_t threshold = 0;  // P_drop * 65,536; 0: no dropout
  std::uint32_t update = 0;
  PhiloxKey key{};  // from the seed and the call site

  static Dropout with(double P_drop, std::uint64_t seed, std::uint32_t update, std::uint32_t site) {
    return {static_cast<std::uint32_t>(std::lround(P_drop * 65536.0)), update,
            philox_key(seed, kDropoutPurpose + site)};
  }

  bool on() const { return threshold > 0; }
  // 1 / (1 - P_drop), for P_drop rounded to 16 bits: then the expected value stays exactly the same.
  double scale() const { return 65536.0 / (65536.0 - threshold); }
};

}  // namespace dragoman
