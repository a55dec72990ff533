// Translates from memory alone: a baseline that a trained model must beat.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dragoman/demo/grammar.h"

namespace dragoman::demo {

// Returns the translation of the nearest training sentence: the one with the fewest words to insert, delete or replace.
// Ties go to the first. Punctuation marks count as words.
class NearestNeighbour {
 public:
  // Throws a UsageError if there are no pairs. They must outlive this.
  explicit NearestNeighbour(const std::vector<TextPair>& pairs);

  const TextPair& nearest(std::string_view sentence) const;
  const std::string& translate(std::string_view sentence) const { return nearest(sentence).target; }

 private:
  using Words = std::vector<int>;

  const std::vector<TextPair>& pairs_;
  std::unordered_map<std::string, int> ids_;
  std::vector<Words> sentences_;
  // By word and k: the sentences that contain the word at least k + 1 times. Counting over these lists gives the number
  // of words that two sentences share, and from it follows a lower bound for their distance.
  std::unordered_map<std::uint64_t, std::vector<int>> sentences_with_;
};

}  // namespace dragoman::demo
