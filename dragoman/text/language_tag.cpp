#include "dragoman/text/language_tag.h"

#include <algorithm>

namespace dragoman::text {
namespace {

bool is_letters(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

bool is_language_tag(std::string_view tag) {
  for (bool first = true; first || !tag.empty(); first = false) {
    const std::size_t end = std::min(tag.find('-'), tag.size());
    const std::string_view part = tag.substr(0, end);
    const bool fits = first ? (part.size() == 2 || part.size() == 3) && is_letters(part)
                            : !part.empty() && part.size() <= 8 && std::ranges::all_of(part, [](char c) {
                                return is_letters({&c, 1}) || (c >= '0' && c <= '9');
                              });
    if (!fits || end + 1 == tag.size()) return false;
    tag.remove_prefix(std::min(end + 1, tag.size()));
  }
  return true;
}

}  // namespace dragoman::text
