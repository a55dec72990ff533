#include "dragoman/base/hash.h"

#include <bit>
#include <cstring>

namespace dragoman {
namespace {

// Eight bytes as a little-endian number, on every machine.
std::uint64_t load_word(const unsigned char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// No information is lost: for a given state, different words give different results, and for a given word, different
// states do. A multiplication moves information to higher bits only; the right shift between the two multiplications
// brings it back down.
std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9E3779B97F4A7C15u;
  return (state ^ state >> 29) * 0xD6E8FEB86659FD93u;
}

}  // namespace

Hash& Hash::add(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  const unsigned char* end = next + count;
  while (next != end) {
    const std::size_t filled = count_ % 8;
    if (filled == 0 && end - next >= 8) {
      state_ = mix(state_, load_word(next));
      next += 8;
      count_ += 8;
      continue;
    }
    word_ |= static_cast<std::uint64_t>(*next++) << (8 * filled);
    ++count_;
    if (count_ % 8 == 0) {
      state_ = mix(state_, word_);
      word_ = 0;
    }
  }
  return *this;
}

std::uint64_t Hash::value() const {
  const std::uint64_t value = mix(mix(state_, word_), count_);
  return value ^ value >> 32;
}

std::string Hash::hex() const {
  std::string text(16, '0');
  std::uint64_t left = value();
  for (std::size_t i = text.size(); i-- > 0; left >>= 4) text[i] = "0123456789abcdef"[left & 15];
  return text;
}

}  // namespace dragoman
