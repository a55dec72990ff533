// UTF-8: checking that text is well-formed, finding where characters begin, and converting to and from code points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

// The position of the first byte that is not part of a well-formed character (Unicode 15, table 3-7); nothing if the
// whole text is valid. Overlong forms, surrogates, code points above U+10FFFF and truncated characters are not
// well-formed.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// The number of bytes of the character that begins with the byte `first`; 1 if no character begins with it.
constexpr std::size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0xC2 || byte > 0xF4) return 1;
  return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The number of characters in well-formed text.
std::size_t count_characters(std::string_view text);

// The code point of the character at byte `at`, which is then advanced to the next character. For a byte that is not
// part of a character it returns U+FFFD and advances by one. Requires at < text.size().
char32_t next_code_point(std::string_view text, std::size_t& at);

// The code point of each character, and U+FFFD for each byte that is not part of a character.
std::u32string to_code_points(std::string_view text);
// Code points to UTF-8. Surrogates and code points above U+10FFFF are not allowed.
void append_utf8(std::string& text, char32_t code);
std::string to_utf8(std::u32string_view codes);

}  // namespace dragoman
