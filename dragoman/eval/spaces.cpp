#include "dragoman/eval/spaces.h"

#include <cstddef>

namespace dragoman::eval {
namespace {

// The number of bytes of the white space character that `text` begins with; 0 if it begins with another character.
std::size_t space_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first == ' ' || (first >= '\t' && first <= '\r') || (first >= 0x1C && first <= 0x1F) ? 1 : 0;
  if (first != 0xC2 && first != 0xE1 && first != 0xE2 && first != 0xE3) return 0;
  for (const std::string_view space : {"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                       "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"}) {
    if (text.starts_with(space)) return space.size();
  }
  const bool is_in_general_punctuation = text.starts_with("\xE2\x80") && text.size() > 2;
  return is_in_general_punctuation && static_cast<unsigned char>(text[2]) <= 0x8A ? 3 : 0;  // U+2000 to U+200A
}

std::string joined(const std::vector<std::string_view>& words, std::string_view between) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = space_bytes(text.substr(at));
    if (space > 0) {
      if (at > begin) words.push_back(text.substr(begin, at - begin));
      begin = at + space;
    }
    at += space > 0 ? space : 1;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
  return words;
}

std::string_view trimmed_right(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.empty()) return {};
  return {text.data(), static_cast<std::size_t>(words.back().data() + words.back().size() - text.data())};
}

std::string_view trimmed(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.empty()) return {};
  const char* begin = words.front().data();
  return {begin, static_cast<std::size_t>(words.back().data() + words.back().size() - begin)};
}

std::string single_spaced(std::string_view text) { return joined(split_words(text), " "); }

std::string without_spaces(std::string_view text) { return joined(split_words(text), ""); }

}  // namespace dragoman::eval
