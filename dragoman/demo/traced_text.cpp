#include "dragoman/demo/traced_text.h"

#include <algorithm>
#include <set>

namespace dragoman::demo {

namespace {

using Origins = std::set<std::int32_t>;

// The origins of each word.
std::vector<Origins> origins_of_words(const TracedText& text) {
  std::vector<Origins> words;
  for (std::size_t at = 0; at < text.text.size(); ++at) {
    const char c = text.text[at];
    if (at == 0 || c == ' ') words.emplace_back();
    if (std::string_view(" .,;:?!").find(c) == std::string_view::npos) words.back().insert(text.origins[at]);
  }
  return words;
}

}  // namespace

std::int64_t word_from(const TracedText& text, std::int32_t origin) {
  const std::vector<Origins> words = origins_of_words(text);
  const auto found = std::ranges::find_if(words, [&](const Origins& word) { return word.contains(origin); });
  return found == words.end() ? -1 : found - words.begin();
}

std::vector<eval::WordLink> links_of(const TracedText& source, const TracedText& target) {
  const std::vector<Origins> sources = origins_of_words(source), targets = origins_of_words(target);
  std::vector<eval::WordLink> links;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t j = 0; j < targets.size(); ++j) {
      const auto is_shared = [&](std::int32_t origin) { return targets[j].contains(origin); };
      if (!std::ranges::any_of(sources[i], is_shared)) continue;
      links.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
    }
  }
  return links;
}

}  // namespace dragoman::demo
