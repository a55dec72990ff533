#include "dragoman/base/printable.h"

#include <fmt/format.h>

#include <iterator>

#include "dragoman/base/utf8.h"

namespace dragoman {
namespace {

bool is_unsafe(char32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool ends_line = code == 0x2028 || code == 0x2029;
  const bool changes_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                                 (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_control || ends_line || changes_direction;
}

void append(std::string& safe, std::string_view text, std::string_view also_escaped) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code_point(text, at);
    const std::string_view character = text.substr(begin, at - begin);
    if (character.size() == 1 && static_cast<unsigned char>(character[0]) >= 0x80) {
      fmt::format_to(std::back_inserter(safe), "\\x{:02X}", static_cast<unsigned char>(character[0]));
    } else if (is_unsafe(code)) {
      fmt::format_to(std::back_inserter(safe), "\\u{:04X}", static_cast<std::uint32_t>(code));
    } else {
      if (also_escaped.find(character) != std::string_view::npos) safe += '\\';
      safe += character;
    }
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  append(safe, text, "");
  return safe;
}

std::string in_quotes(std::string_view text) {
  std::string safe = "\"";
  append(safe, text, "\"\\");
  return safe + "\"";
}

}  // namespace dragoman
