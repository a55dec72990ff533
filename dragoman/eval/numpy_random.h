// The random numbers of NumPy's default generator, which sacreBLEU uses for resampling: equal seeds give equal numbers.
// The generator is PCG64 (O'Neill, 2014: a 128-bit linear congruential generator whose halves are combined and
// rotated), seeded by numpy.random.SeedSequence.
#pragma once

#include <cstdint>

namespace dragoman::eval {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next_64();
  std::uint32_t next_32();  // the lower half of next_64(), and at the next call the upper half

  // Uniform from 0 to `end` - 1, by Lemire's method, as Generator.choice(end). Draws no number if `end` is 1.
  std::uint32_t below(std::uint32_t end);

 private:
  __extension__ using Uint128 = unsigned __int128;

  Uint128 state_ = 0, increment_ = 0;
  std::uint32_t kept_ = 0;  // the upper half for the next next_32(), if has_kept_
  bool has_kept_ = false;
};

// The numbers of Generator.integers(2, dtype=bool): the bits of 32-bit numbers, the lowest first.
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
