#include "dragoman/text/stretches.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace dragoman::text {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

bool ends_sentence(std::string_view text) {
  constexpr std::array<std::string_view, 4> kEnds = {".", "!", "?", "\u2026"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return text.ends_with(end); });
}

bool ends_sentence_without_space(std::string_view text) {
  constexpr std::array<std::string_view, 3> kEnds = {"\u3002", "\uFF01", "\uFF1F"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return text.ends_with(end); });
}

// The last position at or before `end` that is between two characters. If there is none within four bytes, the text is
// not UTF-8, and the result is `end`.
std::size_t character_boundary(std::string_view text, std::size_t end) {
  constexpr std::size_t kMaxBytes = 4;  // of a UTF-8 character
  for (std::size_t back = 0; back < kMaxBytes && back < end; ++back) {
    if ((static_cast<unsigned char>(text[end - back]) & 0xC0) != 0x80) return end - back;
  }
  return end;
}

}  // namespace

std::size_t first_stretch(std::string_view text, std::size_t max_bytes) {
  assert(text.size() > max_bytes && max_bytes >= 4);
  std::size_t after_space = 0, after_mark = 0;
  for (std::size_t end = max_bytes; end > 0 && (after_space == 0 || end >= max_bytes / 2); --end) {
    const std::string_view before = text.substr(0, end);
    if (is_space(before.back())) {
      after_space = std::max(after_space, end);
      if (end >= max_bytes / 2 && ends_sentence(before.substr(0, end - 1))) return end;
    } else if (end >= max_bytes / 2 && ends_sentence_without_space(before)) {
      after_mark = std::max(after_mark, end);
    }
  }
  if (after_mark > after_space) return after_mark;
  return after_space > 0 ? after_space : character_boundary(text, max_bytes);
}

}  // namespace dragoman::text
