#include "dragoman/text/language_tag.h"

#include <algorithm>

namespace dragoman::text {
namespace {

bool is_letters(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

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

// Regions have two letters and scripts four. A subtag of one character begins subtags of another kind.
std::string canonical_tag(std::string_view tag) {
  std::string canonical(tag);
  bool is_usual = true;
  for (std::size_t begin = 0, end = 0; begin < canonical.size(); begin = end + 1) {
    end = std::min(canonical.find('-', begin), canonical.size());
    const std::size_t size = end - begin;
    is_usual = is_usual && size > 1;
    const std::size_t capitals = begin == 0 || !is_usual ? 0 : size == 2 ? 2 : size == 4 ? 1 : 0;
    for (std::size_t i = begin; i < end; ++i) {
      canonical[i] = i < begin + capitals ? upper(canonical[i]) : lower(canonical[i]);
    }
  }
  return canonical;
}

}  // namespace dragoman::text
