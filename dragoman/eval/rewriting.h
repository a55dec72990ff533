// Text replacement helpers for the tokenisers of scores.
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
    result.append(text, done, at - done);  // up to the end if there is no further match
    if (at == std::string::npos) break;
    result += to;
    done = at + from.size();
  }
  text = std::move(result);
}

// Rewrites each pair of neighbours for which matches(a, b) is true, from left to right. An element belongs to at most
// one pair. write(result, a, b) appends the replacement to the result so far.
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

// Puts a space on either side of each element for which stands_alone(element) is true.
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
