// Translation by memory alone: the baseline that a model which has learned something must beat.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dragoman/data/grammar.h"

namespace dragoman::data {

// Answers a sentence with the translation of the training sentence nearest to it: the smallest number of words to
// insert, delete or replace, and of several such sentences the first. Punctuation marks count as words.
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
  // The sentences that have a word at least k times, by word and k: how many words two sentences share is a sum over
  // these, and bounds their distance from below.
  std::unordered_map<std::uint64_t, std::vector<int>> having_;
};

}  // namespace dragoman::data
