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

void space_out_second(std::string& text, char a, char b) { text.append({a, ' ', b, ' '}); }
void space_out_first(std::string& text, char a, char b) { text.append({' ', a, ' ', b}); }

}  // namespace

void decode_entities(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

std::string space_out_punctuation(const std::string& text) { return space_out(text, stands_alone); }

std::string space_out_points(std::string text) {
  text = rewrite_pairs(
      text, [](char a, char b) { return !is_digit(a) && is_point(b); }, space_out_second);
  text = rewrite_pairs(
      text, [](char a, char b) { return is_point(a) && !is_digit(b); }, space_out_first);
  return rewrite_pairs(
      text, [](char a, char b) { return is_digit(a) && b == '-'; }, space_out_second);
}

}  // namespace dragoman::eval
