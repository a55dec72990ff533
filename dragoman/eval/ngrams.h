// N-grams of sentences as numbers, so that counting them is counting in an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::eval {

// A sentence: each word or character as a number.
using Symbols = std::vector<std::uint32_t>;

// Numbers words: equal words, and no others, have equal numbers. The words must outlive this object.
class WordNumbers {
 public:
  Symbols operator()(const std::vector<std::string_view>& words);

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// The n-grams of a few sentences, one order n after the other, beginning with 1.
class Ngrams {
 public:
  // The sentences must outlive this object.
  explicit Ngrams(std::span<const Symbols> sentences);

  void to_next_order();

  std::int64_t total(std::size_t sentence) const { return static_cast<std::int64_t>(numbers_[sentence].size()); }
  // How often each n-gram of any of the sentences stands in this one: one count for each, in one order for all.
  std::vector<std::int64_t> counts(std::size_t sentence) const;

 private:
  std::span<const Symbols> sentences_;
  std::size_t n_ = 1;
  std::uint32_t different_ = 0;
  std::vector<Symbols> numbers_;  // of the n-gram that begins at each place of each sentence
};

// Sum over n-grams of the lesser count: how many of the one are matched by the other.
std::int64_t count_matches(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& allowed);

}  // namespace dragoman::eval
