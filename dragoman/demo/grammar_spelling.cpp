#include <algorithm>
#include <utility>

#include "dragoman/demo/grammar_rules.h"

namespace dragoman::demo {

namespace {

// One space between words and none before punctuation. A comma is dropped before another mark.
TracedText tidy(const TracedText& text) {
  TracedText tidied;
  bool space = false;
  for (std::size_t at = 0; at < text.text.size(); ++at) {
    const char c = text.text[at];
    if (c == ' ' || c == '\t') {
      space = !tidied.text.empty();
      continue;
    }
    if (std::string_view(".,;:?!").find(c) != std::string_view::npos) {
      if (tidied.text.ends_with(',')) {
        tidied.text.pop_back();
        tidied.origins.pop_back();
      }
    } else if (space) {
      tidied.append(" ", text.origins[at]);
    }
    space = false;
    tidied.append(std::string_view(&c, 1), text.origins[at]);
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

// The place in `from` that byte `at` of `to` comes from. What the two begin and end with stays as it is; in between,
// each byte of `to` stands for as many bytes of `from`, and comes from the last of them.
std::size_t place_before(const Respelling& rule, std::size_t at) {
  const std::string &from = rule.from, &to = rule.to;
  const std::size_t shorter = std::min(from.size(), to.size());
  std::size_t begin = 0, end = 0;  // the number of bytes that they have in common at both ends
  while (begin < shorter && from[begin] == to[begin]) ++begin;
  while (end < shorter - begin && from[from.size() - 1 - end] == to[to.size() - 1 - end]) ++end;
  if (at < begin) return at;
  if (at >= to.size() - end) return from.size() - (to.size() - at);
  const std::size_t bytes = from.size() - begin - end, places = to.size() - begin - end;
  const std::size_t stands_for = begin + (at - begin + 1) * bytes / places;
  return stands_for > 0 ? stands_for - 1 : 0;
}

// Replaces `from` by `to` wherever a word begins with it.
TracedText respell(TracedText text, const Respelling& rule) {
  if (text.text.find(rule.from) == std::string::npos) return text;  // as in most sentences
  TracedText result;
  for (std::size_t at = 0; at < text.text.size();) {
    const bool word_begins = at == 0 || text.text[at - 1] == ' ';
    if (word_begins && text.text.compare(at, rule.from.size(), rule.from) == 0) {
      for (std::size_t i = 0; i < rule.to.size(); ++i) {
        result.append(std::string_view(rule.to).substr(i, 1), text.origins[at + place_before(rule, i)]);
      }
      at += rule.from.size();
    } else {
      result.append(std::string_view(text.text).substr(at, 1), text.origins[at]);
      ++at;
    }
  }
  return result;
}

}  // namespace

TracedText spell(const GrammarRules& grammar, const TracedText& text, bool target) {
  TracedText spelled = tidy(text);
  for (const Respelling& rule : grammar.respellings)
    if (rule.target == target) spelled = respell(std::move(spelled), rule);
  capitalise(spelled.text);
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

}  // namespace dragoman::demo
