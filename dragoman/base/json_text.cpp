#include "dragoman/base/json_text.h"

#include "dragoman/base/fields_json.h"
#include "dragoman/base/utf8.h"

namespace dragoman {
namespace {

constexpr char32_t kBytes = 0x10FE00;  // plus the byte

bool stands_for_byte(char32_t code) { return code >= kBytes + 0x80 && code <= kBytes + 0xFF; }

}  // namespace

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A character that would stand for a byte is written byte by byte, so that it comes back as it was.
std::string to_valid_utf8(std::string_view text) {
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code_point(text, at);
    const std::string_view character = text.substr(begin, at - begin);
    const bool is_lone_byte = character.size() == 1 && static_cast<unsigned char>(character[0]) >= 0x80;
    if (!is_lone_byte && !stands_for_byte(code)) {
      valid += character;
      continue;
    }
    for (const char byte : character) append_utf8(valid, kBytes + static_cast<unsigned char>(byte));
  }
  return valid;
}

std::string from_valid_utf8(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code_point(text, at);
    if (stands_for_byte(code)) {
      bytes += static_cast<char>(code - kBytes);
    } else {
      bytes += text.substr(begin, at - begin);
    }
  }
  return bytes;
}

}  // namespace dragoman
