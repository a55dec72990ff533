#include "dragoman/base/crc32c.h"

#include <array>

namespace dragoman {
namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82F63B78;

// The remainder of each byte.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder & 1) != 0 ? remainder >> 1 ^ kReflectedPolynomial : remainder >> 1;
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t remainder = 0xFFFFFFFF;
  for (const char byte : bytes) {
    remainder = remainder >> 8 ^ kTable[(remainder ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~remainder;
}

}  // namespace dragoman
