#include "dragoman/base/crc32.h"

#include <array>

namespace dragoman {
namespace {

using Table = std::array<std::uint32_t, 256>;

// The remainder of each byte.
constexpr Table make_table(std::uint32_t reflected_polynomial) {
  Table table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder & 1) != 0 ? remainder >> 1 ^ reflected_polynomial : remainder >> 1;
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr Table kZip = make_table(0xEDB88320);
constexpr Table kCastagnoli = make_table(0x82F63B78);

std::uint32_t checksum(std::string_view bytes, const Table& table, std::uint32_t so_far) {
  std::uint32_t remainder = ~so_far;
  for (const char byte : bytes) {
    remainder = remainder >> 8 ^ table[(remainder ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~remainder;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far) { return checksum(bytes, kZip, so_far); }

std::uint32_t crc32c(std::string_view bytes) { return checksum(bytes, kCastagnoli, 0); }

}  // namespace dragoman
