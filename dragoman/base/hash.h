// A 64-bit hash of bytes that is the same on every machine: for names, cache keys and checksums. It is not
// cryptographic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

// Mixes words of eight bytes into a state. Two inputs of equal length that differ in a single word never have the same
// hash. The bytes may be added in pieces of any size.
class Hash {
 public:
  Hash& add(const void* bytes, std::size_t count);
  Hash& add(std::string_view text) { return add(text.data(), text.size()); }

  std::uint64_t value() const;
  std::string hex() const;  // 16 digits

 private:
  std::uint64_t state_ = 14695981039346656037u;
  std::uint64_t count_ = 0;
  std::uint64_t word_ = 0;  // the last count_ % 8 bytes, which do not fill a word yet
};

}  // namespace dragoman
