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

// Where the character `count` of the text begins; its end if it has fewer.
std::size_t place_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) next_code_point(text, at);
  return at;
}

// Where the last `count` characters of the text begin. Looks at no more of it, however long it is.
std::size_t place_of_last(std::string_view text, std::size_t count) {
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
  std::size_t at = text.size();
  for (; count > 0 && at > 0; --count) {
    --at;
    for (int bytes = 1; bytes < 4 && at > 0 && continues(text[at]); ++bytes) --at;
  }
  return at;
}

// The first and the last characters of a text that has more than both; else the text.
std::string ends_of(std::string_view text, std::size_t first, std::size_t last) {
  const std::size_t middle = place_of(text, first);
  if (place_of(text.substr(middle), last) == text.size() - middle) return std::string(text);
  return std::string(text.substr(0, middle)).append("...").append(text.substr(place_of_last(text, last)));
}

// Whether a quoted part may begin here.
bool begins_quote(std::string_view text, std::size_t at) {
  const bool is_quote = text[at] == '\'' || text[at] == '"';
  return is_quote && (at == 0 || std::string_view(" (=[,").find(text[at - 1]) != std::string_view::npos);
}

// Where it ends: at the same quote before a space, a punctuation mark or the end. npos if it has no end.
std::size_t end_of_quote(std::string_view text, std::size_t open) {
  const char quote = text[open];
  for (std::size_t at = text.find(quote, open + 1); at != std::string_view::npos; at = text.find(quote, at + 1)) {
    const bool ends =
        at + 1 == text.size() || std::string_view(" .,;:)]?").find(text[at + 1]) != std::string_view::npos;
    if (ends) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string shortened(std::string_view text) { return ends_of(text, 60, 20); }

std::string with_short_quotes(const std::string& message) {
  constexpr std::size_t kLongestQuote = 200, kLongest = 4000;
  if (message.size() <= kLongestQuote) return message;
  const std::string_view text = message;
  std::string result, endless;  // quotes that no more parts end with
  for (std::size_t at = 0; at < text.size();) {
    const bool may_begin = begins_quote(text, at) && endless.find(text[at]) == std::string::npos;
    const std::size_t end = may_begin ? end_of_quote(text, at) : std::string_view::npos;
    if (may_begin && end == std::string_view::npos) endless += text[at];
    if (end == std::string_view::npos || end - at <= kLongestQuote) {
      // A short quote is taken whole, so that its end does not count as the beginning of another.
      const std::size_t next = end == std::string_view::npos ? at + 1 : end + 1;
      result += text.substr(at, next - at);
      at = next;
    } else {
      result.append(1, text[at]).append(shortened(text.substr(at + 1, end - at - 1))).append(1, text[at]);
      at = end + 1;
    }
  }
  return ends_of(result, kLongest / 2, kLongest / 2);
}

std::string printable(std::string_view text) {
  std::string safe;
  append(safe, text, "");
  return safe;
}

std::string whole_in_quotes(std::string_view text) {
  std::string safe = "\"";
  append(safe, text, "\"\\");
  return safe + "\"";
}

std::string in_quotes(std::string_view text) { return whole_in_quotes(shortened(text)); }

}  // namespace dragoman
