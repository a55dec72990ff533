#include "dragoman/demo/contrasts.h"

#include <algorithm>

#include "dragoman/demo/plain_words.h"

namespace dragoman::demo {
namespace {

bool differ_in_a_word(const TextPair& a, const TextPair& b) {
  const auto words = plain_words(a.source), others = plain_words(b.source);
  if (words.size() != others.size()) return false;
  const auto [first, second] = std::ranges::mismatch(words, others);
  return first != words.end() && std::equal(first + 1, words.end(), second + 1);
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> contrasts(std::span<const ReferencePair> sentences) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (std::size_t j = i + 1; j < sentences.size(); ++j) {
      const Reference &a = sentences[i].reference, &b = sentences[j].reference;
      const bool swapped = a.pronoun == b.pronoun && a.meant == b.other && a.other == b.meant;
      if (swapped && differ_in_a_word(sentences[i].text, sentences[j].text)) found.emplace_back(i, j);
    }
  }
  return found;
}

}  // namespace dragoman::demo
