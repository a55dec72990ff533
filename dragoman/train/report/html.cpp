#include "dragoman/train/report/html.h"

#include <fmt/format.h>

#include <cmath>

#include "dragoman/base/strings.h"

namespace dragoman::train {
namespace {

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// 3.3e+18 -> 3.3e18, 7e-04 -> 7e-4.
std::string with_short_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  if (text[e + 1] == '+') text.erase(e + 1, 1);
  const std::size_t first_digit = e + (text[e + 1] == '-' ? 2 : 1);
  while (text.size() > first_digit + 1 && text[first_digit] == '0') text.erase(first_digit, 1);
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (continues_code_point(text[at])) continue;
    if (seen++ == most) return std::string(text.substr(0, at)) + "…";
  }
  return std::string(text);
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) {
    std::string text = fmt::format("{:.{}e}", value, digits - 1);
    const std::size_t e = text.find('e');
    std::size_t keep = e;  // drops trailing zeros of the fraction: 3.30e18 becomes 3.3e18
    while (text.find('.') < keep && (text[keep - 1] == '0' || text[keep - 1] == '.')) --keep;
    return with_short_exponent(text.erase(keep, e - keep));
  }
  const std::string text = fmt::format("{:.{}g}", value, digits);
  const bool has_exponent = text.find('e') != std::string::npos;
  return size >= 1000 || has_exponent ? with_thousands(std::llround(value)) : text;
}

}  // namespace dragoman::train
