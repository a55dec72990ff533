#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// Round number `round` of the Philox function, on several independent counters. The ten rounds of one counter depend on
// each other, so one counter alone would leave the multipliers idle most of the time.
template <int kSideBySide>
[[gnu::always_inline]] inline void philox_round(Philox4 (&c)[kSideBySide], const PhiloxKey& key, std::uint32_t round) {
  const std::uint32_t k0 = key[0] + round * kPhiloxWeyl0, k1 = key[1] + round * kPhiloxWeyl1;
#pragma GCC unroll 4
  for (int s = 0; s < kSideBySide; ++s) {
    const std::uint64_t p = std::uint64_t{kPhiloxMultiplier0} * c[s][0];
    const std::uint64_t q = std::uint64_t{kPhiloxMultiplier1} * c[s][2];
    c[s] = {static_cast<std::uint32_t>(q >> 32) ^ c[s][1] ^ k0, static_cast<std::uint32_t>(q),
            static_cast<std::uint32_t>(p >> 32) ^ c[s][3] ^ k1, static_cast<std::uint32_t>(p)};
  }
}

// words[4 b + w] is word w of philox({first_block + b, position, sentence, update}, key), for kSideBySide * kIterations
// blocks b. The code uses scalars and has all rounds in the body of one loop. The compiler then vectorises the loop
// without storing anything between rounds, and hoists the part of the first rounds that depends on the row alone.
template <int kSideBySide, int kIterations>
void philox_blocks(const Dropout& dropout, std::uint32_t sentence, std::uint32_t position, std::uint32_t first_block,
                   std::uint32_t* __restrict words) {
  const PhiloxKey key = dropout.key;
  const std::uint32_t update = dropout.update;
  for (int i = 0; i < kIterations; ++i) {
    Philox4 c[kSideBySide];
#pragma GCC unroll 4
    for (int s = 0; s < kSideBySide; ++s) {
      c[s] = {first_block + static_cast<std::uint32_t>(s * kIterations + i), position, sentence, update};
    }
    [&]<std::uint32_t... round>(std::integer_sequence<std::uint32_t, round...>) { (philox_round(c, key, round), ...); }
    (std::make_integer_sequence<std::uint32_t, kPhiloxRounds>());
#pragma GCC unroll 4
    for (int s = 0; s < kSideBySide; ++s) {
#pragma GCC unroll 4
      for (int w = 0; w < 4; ++w) words[4 * (s * kIterations + i) + w] = c[s][w];
    }
  }
}

}  // namespace

template <class T>
void dropout_factors(const Dropout& dropout, std::int32_t sentence, std::int32_t position, std::int64_t first,
                     std::int64_t count, T* factors) {
  assert(dropout.on() && count <= kDropoutChannels);
  std::uint32_t words[kDropoutChannels / 2];
  // A short range, for example the keys of one head, needs a quarter of the work.
  const auto fill_words =
      count <= kDropoutChannels / 4 ? philox_blocks<2, kDropoutChannels / 64> : philox_blocks<4, kDropoutChannels / 32>;
  fill_words(dropout, static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(position),
             static_cast<std::uint32_t>(first / 8), words);
  std::uint16_t bits[kDropoutChannels];
  static_assert(sizeof(bits) == sizeof(words) && std::endian::native == std::endian::little);
  std::memcpy(bits, words, sizeof(bits));
  const T scale = static_cast<T>(dropout.scale());
  const auto highest_dropped = static_cast<std::uint16_t>(dropout.threshold - 1);  // fits 16 bits, as `bits` do
  for (std::int64_t i = 0; i < count; ++i) factors[i] = bits[i] > highest_dropped ? scale : T{0};
}

template void dropout_factors(const Dropout&, std::int32_t, std::int32_t, std::int64_t, std::int64_t, float*);
template void dropout_factors(const Dropout&, std::int32_t, std::int32_t, std::int64_t, std::int64_t, double*);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
