// Counter-based random numbers: Philox4x32-10 (Salmon et al., 2011). A number is a pure function of a key and a
// counter, so that dropout masks can be recomputed instead of stored, and there is no generator state to save.
#pragma once

#include <array>
#include <cstdint>

namespace dragoman {

using Philox4 = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline constexpr std::uint32_t kPhiloxMultiplier0 = 0xD2511F53u, kPhiloxMultiplier1 = 0xCD9E8D57u;
inline constexpr std::uint32_t kPhiloxWeyl0 = 0x9E3779B9u, kPhiloxWeyl1 = 0xBB67AE85u;
inline constexpr int kPhiloxRounds = 10;

constexpr Philox4 philox(Philox4 counter, PhiloxKey key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t a = std::uint64_t{kPhiloxMultiplier0} * counter[0];
    const std::uint64_t b = std::uint64_t{kPhiloxMultiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  return counter;
}

// Folds a 64-bit seed and a purpose into a Philox key. Streams for different purposes are independent.
constexpr PhiloxKey philox_key(std::uint64_t seed, std::uint32_t purpose) {
  const Philox4 mixed = philox({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), purpose, 0},
                               {0x64726167u, 0x6F6D616Eu});  // "dragoman"
  return {mixed[0], mixed[1]};
}

// A sequence of random numbers for one purpose (initial weights, shuffling, toy data), the same on every machine. Each
// number `stream` gives another, independent sequence for the same purpose.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint32_t purpose = 0, std::uint64_t stream = 0)
      : key_(philox_key(seed, purpose)), stream_(stream) {}

  std::uint32_t next() {
    if (used_ == 4) refill();
    return block_[used_++];
  }
  // In [0, 1), with 53 random bits.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Standard normal (Box-Muller).
  double normal();
  // Uniform in [0, bound), without bias. Requires bound > 0.
  std::uint32_t below(std::uint32_t bound);

 private:
  void refill();

  PhiloxKey key_;
  std::uint64_t stream_;
  std::uint64_t block_number_ = 0;
  Philox4 block_{};
  int used_ = 4;
};

}  // namespace dragoman
