#include "dragoman/eval/mteval.h"

#include "dragoman/eval/rewriting.h"

namespace dragoman::eval {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// ASCII punctuation and space, without ' , - and the period.
bool stands_alone(char c) {
  const auto within = [c](char first, char last) { return c >= first && c <= last; };
  return within('{', '~') || within('[', '`') || within(' ', '&') || within('(', '+') || within(':', '@') || c == '/';
}

void write_second_apart(std::string& text, char a, char b) { text.append({a, ' ', b, ' '}); }
void write_first_apart(std::string& text, char a, char b) { text.append({' ', a, ' ', b}); }

}  // namespace

void undo_entities(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

std::string punctuation_apart(const std::string& text) { return space_out(text, stands_alone); }

std::string points_apart(std::string text) {
  text = rewrite_pairs(
      text, [](char a, char b) { return !is_digit(a) && is_point(b); }, write_second_apart);
  text = rewrite_pairs(
      text, [](char a, char b) { return is_point(a) && !is_digit(b); }, write_first_apart);
  return rewrite_pairs(
      text, [](char a, char b) { return is_digit(a) && b == '-'; }, write_second_apart);
}

}  // namespace dragoman::eval
