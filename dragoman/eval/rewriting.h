// Rewriting text piece by piece, as the tokenisers of scores do it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dragoman::eval {

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  for (std::size_t done = 0;; at = text.find(from, done)) {
    result.append(text, done, at - done);  // to the end if there is no other
    if (at == std::string::npos) break;
    result += to;
    done = at + from.size();
  }
  text = std::move(result);
}

// Rewrites each pair of neighbours that `matches`, left to right; an element belongs to one pair at most. `write` gets
// the result so far and the pair.
template <class Text, class Matches, class Write>
Text rewrite_pairs(const Text& text, Matches&& matches, Write&& write) {
  Text result;
  result.reserve(text.size() + text.size() / 2);
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

// Puts a space on either side of each element that `stands_alone`.
template <class Text, class StandsAlone>
Text space_out(const Text& text, StandsAlone&& stands_alone) {
  Text result;
  result.reserve(text.size() + text.size() / 2);
  for (const auto element : text) {
    if (stands_alone(element)) {
      result.append({' ', element, ' '});
    } else {
      result += element;
    }
  }
  return result;
}

}  // namespace dragoman::eval
