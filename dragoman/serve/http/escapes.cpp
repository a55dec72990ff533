#include "dragoman/serve/http/escapes.h"

namespace dragoman::serve {
namespace {

std::optional<int> hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::kSpace) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (!high || !low || *high + *low == 0) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return decoded;
}

std::string_view take_until(std::string_view& rest, std::string_view mark) {
  const std::size_t end = rest.find(mark);
  const std::string_view taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + mark.size());
  return taken;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  return result;
}

}  // namespace dragoman::serve
