#include "dragoman/base/random.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace dragoman {

void RandomStream::refill() {
  block_ = philox({static_cast<std::uint32_t>(block_number_), static_cast<std::uint32_t>(block_number_ >> 32),
                   static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                  key_);
  ++block_number_;
  used_ = 0;
}

double RandomStream::uniform() {
  const std::uint64_t high = next() >> 5, low = next() >> 6;
  return static_cast<double>((high << 26) | low) * 0x1p-53;
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint32_t RandomStream::below(std::uint32_t bound) {
  assert(bound > 0);
  // Lemire's method: the result is the upper half of a product. It rejects the few products that would bias the result:
  // those whose lower half is below 2^32 mod bound.
  std::uint64_t product = std::uint64_t{next()} * bound;
  const std::uint32_t least = -bound % bound;  // 2^32 mod bound
  while (static_cast<std::uint32_t>(product) < least) product = std::uint64_t{next()} * bound;
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace dragoman
