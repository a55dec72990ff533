// UTF-8: what is well-formed, where its characters begin, and which code points they are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

// Where the first byte stands that is not part of a well-formed character (Unicode 15, table 3-7): overlong forms,
// surrogates, code points above U+10FFFF and characters cut short are not. Nothing if the whole text is UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// Bytes of the character that begins with `first`; 1 for a byte that begins none.
constexpr std::size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0xC2 || byte > 0xF4) return 1;
  return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Characters in well-formed text.
std::size_t count_characters(std::string_view text);

// The code point of the character at a byte of the text, which moves on to the next; U+FFFD for a byte that belongs to
// none. Requires at < text.size().
char32_t next_code_point(std::string_view text, std::size_t& at);

// The code point of each character; U+FFFD for each byte that belongs to none.
std::u32string to_code_points(std::string_view text);
// Back again. The code points must be characters.
void append_utf8(std::string& text, char32_t code);
std::string to_utf8(std::u32string_view codes);

}  // namespace dragoman
