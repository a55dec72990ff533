#include <algorithm>

#include "dragoman/data/grammar_rules.h"

namespace dragoman::data {

namespace {

// One space between words and none before punctuation. A comma is dropped before another mark.
std::string tidy(std::string_view text) {
  std::string tidied;
  bool space = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      space = !tidied.empty();
      continue;
    }
    if (std::string_view(".,;:?!").find(c) != std::string_view::npos) {
      if (tidied.ends_with(',')) tidied.pop_back();
    } else if (space) {
      tidied += ' ';
    }
    space = false;
    tidied += c;
  }
  return tidied;
}

// Capitalises the first letter, if it is in ASCII or Latin-1.
void capitalise(std::string& text) {
  if (text.empty()) return;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  const bool latin1 = text.size() > 1 && static_cast<unsigned char>(text[0]) == 0xC3;
  const auto second = static_cast<unsigned char>(latin1 ? text[1] : 0);
  if (second >= 0xA0 && second <= 0xBE && second != 0xB7) text[1] = static_cast<char>(second - 0x20);
}

// Replaces `from` by `to` wherever a word begins with it.
std::string respell(const std::string& text, const Respelling& rule) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool word_begins = at == 0 || text[at - 1] == ' ';
    if (word_begins && text.compare(at, rule.from.size(), rule.from) == 0) {
      result += rule.to;
      at += rule.from.size();
    } else {
      result += text[at++];
    }
  }
  return result;
}

}  // namespace

std::string spell(const GrammarRules& grammar, std::string_view text, bool target) {
  std::string spelled = tidy(text);
  for (const Respelling& rule : grammar.respellings)
    if (rule.target == target) spelled = respell(spelled, rule);
  capitalise(spelled);
  return spelled;
}

bool matches(std::string_view a, std::string_view b) {
  const auto each = [](std::string_view text, auto&& holds) {
    while (true) {
      const std::size_t slash = text.find('/');
      if (holds(text.substr(0, slash))) return true;
      if (slash == std::string_view::npos) return false;
      text.remove_prefix(slash + 1);
    }
  };
  return each(a, [&](std::string_view x) { return each(b, [&](std::string_view y) { return x == y; }); });
}

}  // namespace dragoman::data
