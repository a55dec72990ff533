// The random numbers of NumPy's default generator, by which sacreBLEU resamples: equal seeds give equal numbers. The
// generator is PCG64 (O'Neill, 2014: a 128-bit linear congruence, its halves mixed and rotated), seeded by
// numpy.random.SeedSequence.
#pragma once

#include <cstdint>

namespace dragoman::eval {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next_64();
  std::uint32_t next_32();  // the lower half of 64 bits, then the upper one

  // From 0 to `end` - 1, all alike, by Lemire's method: Generator.choice(end). Draws nothing if `end` is 1.
  std::uint32_t below(std::uint32_t end);

 private:
  __extension__ using Uint128 = unsigned __int128;

  Uint128 state_ = 0, increment_ = 0;
  std::uint32_t kept_ = 0;  // the upper half, if there is one left
  bool has_kept_ = false;
};

// Generator.integers(2, dtype=bool): the bits of 32-bit numbers, the lowest first.
class NumpyBits {
 public:
  explicit NumpyBits(std::uint64_t seed) : random_(seed) {}

  bool next() {
    if (left_ == 0) {
      bits_ = random_.next_32();
      left_ = 32;
    }
    const bool bit = (bits_ & 1) != 0;
    bits_ >>= 1;
    --left_;
    return bit;
  }

 private:
  NumpyRandom random_;
  std::uint32_t bits_ = 0;
  int left_ = 0;
};

}  // namespace dragoman::eval
