#include "dragoman/base/utf8.h"

#include <algorithm>

namespace dragoman {
namespace {

// The number of bytes of the well-formed character at the start of `text`; 0 if there is none.
std::size_t valid_character(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::size_t length = character_bytes(text[0]);
  if (length == 1) return byte(0) < 0x80 ? 1 : 0;
  if (text.size() < length) return 0;
  // After some first bytes the second has a smaller range, which excludes overlong forms, surrogates and code points
  // above U+10FFFF.
  const unsigned char low = byte(0) == 0xE0 ? 0xA0 : byte(0) == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = byte(0) == 0xED ? 0x9F : byte(0) == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// Decodes a well-formed character. The first byte begins with a mark that tells the number of bytes (110, 1110 or
// 11110), and its remaining bits are the highest bits of the code point. Every further byte holds the next six bits.
char32_t code_point(std::string_view character) {
  const auto byte = [character](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  if (character.size() == 1) return byte(0);
  char32_t code = byte(0) & (0x7Fu >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3Fu);
  return code;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = valid_character(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::size_t count_characters(std::string_view text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const std::size_t length = valid_character(text.substr(at));
  const char32_t code = length > 0 ? code_point(text.substr(at, length)) : U'\uFFFD';
  at += std::max<std::size_t>(1, length);
  return code;
}

std::u32string to_code_points(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) codes += next_code_point(text, at);
  return codes;
}

void append_utf8(std::string& text, char32_t code) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(byte); };
  const auto put_tail = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return put(code);
  put(code < 0x800 ? 0xC0 | code >> 6 : code < 0x10000 ? 0xE0 | code >> 12 : 0xF0 | code >> 18);
  if (code >= 0x10000) put_tail(12);
  if (code >= 0x800) put_tail(6);
  put_tail(0);
}

std::string to_utf8(std::u32string_view codes) {
  std::string text;
  text.reserve(codes.size());
  for (const char32_t code : codes) append_utf8(text, code);
  return text;
}

}  // namespace dragoman
