#include "dragoman/eval/tokenize_13a.h"

#include <cstddef>

namespace dragoman::eval {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// ASCII's punctuation and space without ' , - . and what is a letter or digit.
bool stands_alone(char c) {
  const auto within = [c](char first, char last) { return c >= first && c <= last; };
  return within('{', '~') || within('[', '`') || within(' ', '&') || within('(', '+') || within(':', '@') || c == '/';
}

// Bytes of the space that `text` begins with, 0 if it begins with none: what Unicode, and so Python, calls a space.
std::size_t space_bytes(std::string_view text) {
  const char first = text[0];
  if (first == ' ' || (first >= '\t' && first <= '\r') || (first >= '\x1C' && first <= '\x1F')) return 1;
  for (const std::string_view space : {"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                       "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"}) {
    if (text.starts_with(space)) return space.size();
  }
  const bool may_be = text.starts_with("\xE2\x80") && text.size() > 2;
  return may_be && static_cast<unsigned char>(text[2]) <= 0x8A ? 3 : 0;  // U+2000 to U+200A
}

std::string_view without_spaces_at_end(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = space_bytes(text.substr(at));
    at += space > 0 ? space : 1;
    if (space == 0) end = at;
  }
  return text.substr(0, end);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// Rewrites each pair of neighbours that `matches`, left to right; a byte belongs to one pair at most.
template <class Matches, class Write>
std::string rewrite_pairs(const std::string& text, Matches&& matches, Write&& write) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at + 1 < text.size() && matches(text[at], text[at + 1])) {
      write(result, text[at], text[at + 1]);
      ++at;
    } else {
      result += text[at];
    }
  }
  return result;
}

std::string single_spaced(std::string_view text) {
  std::string result;
  bool after_space = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = space_bytes(text.substr(at));
    if (space == 0) {
      if (after_space && !result.empty()) result += ' ';
      result += text[at];
    }
    after_space = space > 0;
    at += space > 0 ? space : 1;
  }
  return result;
}

}  // namespace

std::string tokenize_13a(std::string_view text) {
  std::string line(without_spaces_at_end(text));
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");

  std::string spaced = " ";
  for (const char c : line + " ") {
    if (stands_alone(c)) {
      spaced.append(" ").append(1, c).append(" ");
    } else {
      spaced += c;
    }
  }
  // Three passes: a point after a non-digit, a point before a non-digit, a hyphen after a digit.
  spaced = rewrite_pairs(
      spaced, [](char a, char b) { return !is_digit(a) && is_point(b); },
      [](std::string& out, char a, char b) {
        out.append({a, ' ', b, ' '});
      });
  spaced = rewrite_pairs(
      spaced, [](char a, char b) { return is_point(a) && !is_digit(b); },
      [](std::string& out, char a, char b) {
        out.append({' ', a, ' ', b});
      });
  spaced = rewrite_pairs(
      spaced, [](char a, char b) { return is_digit(a) && b == '-'; },
      [](std::string& out, char a, char b) {
        out.append({a, ' ', b, ' '});
      });
  return single_spaced(spaced);
}

}  // namespace dragoman::eval
