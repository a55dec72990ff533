// A text that knows where each of its bytes comes from, so that the words of a sentence and of its translation can be
// linked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/eval/word_links.h"

namespace dragoman::demo {

struct TracedText {
  std::string text;
  std::vector<std::int32_t> origins;  // a number for each byte of the text; equal numbers are one origin

  void append(std::string_view more, std::int32_t origin) {
    text += more;
    origins.insert(origins.end(), more.size(), origin);
  }
  void append(const TracedText& more) {
    text += more.text;
    origins.insert(origins.end(), more.origins.begin(), more.origins.end());
  }
};

// The number of the first word, as separated by spaces, with this origin; -1 if there is none. Punctuation marks are
// ignored.
std::int64_t word_from(const TracedText& text, std::int32_t origin);

// Links the words, as separated by spaces, that have an origin in common. Punctuation marks are ignored.
std::vector<eval::WordLink> links_of(const TracedText& source, const TracedText& target);

}  // namespace dragoman::demo
