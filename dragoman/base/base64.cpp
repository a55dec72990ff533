#include "dragoman/base/base64.h"

#include <bit>
#include <cstdint>
#include <string_view>

namespace dragoman {

static_assert(std::endian::native == std::endian::little, "base64() of floats promises little-endian bytes");

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (j < count ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kLetters[bits >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

}  // namespace dragoman
