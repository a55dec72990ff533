#include "dragoman/eval/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace dragoman::eval {
namespace {

// numpy.random.SeedSequence: hashes the seed into a pool of four numbers, from which any amount can be drawn.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 2> words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    Hash hash{0x43B0D7E5, 0x931E8875};
    for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hash(i < words.size() ? words[i] : 0);
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = mixed(pool_[to], hash(pool_[from]));
      }
    }
  }

  std::array<std::uint64_t, 4> state() const {
    Hash hash{0x8B51F9DD, 0x58F38DED};
    std::array<std::uint64_t, 4> result{};
    for (std::size_t i = 0; i < 2 * result.size(); ++i) {
      result[i / 2] |= std::uint64_t{hash(pool_[i % pool_.size()])} << (i % 2 * 32);
    }
    return result;
  }

 private:
  // The constant changes with every number that is hashed.
  struct Hash {
    std::uint32_t constant, multiplier;

    std::uint32_t operator()(std::uint32_t value) {
      value ^= constant;
      constant *= multiplier;
      value *= constant;
      return value ^ value >> 16;
    }
  };

  static std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t value = 0xCA01F9DDu * a - 0x4973F715u * b;
    return value ^ value >> 16;
  }

  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const std::array<std::uint64_t, 4> words = SeedSequence(seed).state();
  const Uint128 start = Uint128{words[0]} << 64 | words[1];
  increment_ = (Uint128{words[2]} << 64 | words[3]) << 1 | 1;
  next_64();
  state_ += start;
  next_64();
}

std::uint64_t NumpyRandom::next_64() {
  constexpr Uint128 kMultiplier = Uint128{0x2360ED051FC65DA4} << 64 | 0x4385DF649FCCF645;
  state_ = state_ * kMultiplier + increment_;
  const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

std::uint32_t NumpyRandom::next_32() {
  if (has_kept_) {
    has_kept_ = false;
    return kept_;
  }
  const std::uint64_t both = next_64();
  kept_ = static_cast<std::uint32_t>(both >> 32);
  has_kept_ = true;
  return static_cast<std::uint32_t>(both);
}

std::uint32_t NumpyRandom::below(std::uint32_t end) {
  if (end <= 1) return 0;
  // 2^32 modulo `end`. If the lower half of number * end is below this, another number is drawn, because this one would
  // bias the result.
  const std::uint32_t too_low = (0 - end) % end;
  std::uint64_t product = 0;
  do {
    product = std::uint64_t{next_32()} * end;
  } while (static_cast<std::uint32_t>(product) < too_low);
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace dragoman::eval
