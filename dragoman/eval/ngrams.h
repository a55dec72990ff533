// Gives each n-gram of some sentences a number, so that n-grams can be counted in an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::eval {

// A sentence as a list of numbers, one for each word or character.
using Symbols = std::vector<std::uint32_t>;

// Assigns a number to each word. Two words have the same number if and only if they are equal. The words must outlive
// this object.
class WordNumbers {
 public:
  Symbols operator()(const std::vector<std::string_view>& words);

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// The n-grams of a few sentences. It starts with n = 1, and to_next_order() goes on to n + 1.
class Ngrams {
 public:
  // The sentences must outlive this object.
  explicit Ngrams(std::span<const Symbols> sentences);

  void to_next_order();

  std::int64_t total(std::size_t sentence) const { return static_cast<std::int64_t>(numbers_[sentence].size()); }
  // How often each n-gram occurs in this sentence. There is one count for each different n-gram of all sentences, and
  // the counts are in the same order for every sentence.
  std::vector<std::int64_t> counts(std::size_t sentence) const;

 private:
  std::span<const Symbols> sentences_;
  std::size_t n_ = 1;
  std::uint32_t distinct_ = 0;    // how many different n-grams there are
  std::vector<Symbols> numbers_;  // for each sentence, the number of the n-gram that begins at each position
};

// The number of matches: the sum over n-grams of the smaller of the two counts.
std::int64_t count_matches(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& allowed);

}  // namespace dragoman::eval
