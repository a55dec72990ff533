#include "dragoman/eval/ngrams.h"

#include <algorithm>
#include <bit>

namespace dragoman::eval {
namespace {

// Gives numbers to keys, from 0 on, in the order in which they first occur. It is a hash table with open addressing:
// each sentence looks up hundreds of n-grams, and one allocation for each would take most of the time.
class KeyNumbers {
 public:
  explicit KeyNumbers(std::size_t keys) : entries_(std::bit_ceil(2 * keys + 2)) {}

  std::uint32_t operator()(std::uint64_t key) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (entries_[at].key != key && entries_[at].key != kNoKey) at = (at + 1) & mask;
    if (entries_[at].key == kNoKey) entries_[at] = {key, size_++};
    return entries_[at].number;
  }

  std::uint32_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};  // never a key: symbols are well below 2^32
  struct Entry {
    std::uint64_t key = kNoKey;
    std::uint32_t number = 0;
  };
  std::vector<Entry> entries_;
  std::uint32_t size_ = 0;
};

std::size_t total_size(std::span<const Symbols> sentences) {
  std::size_t size = 0;
  for (const Symbols& sentence : sentences) size += sentence.size();
  return size;
}

}  // namespace

Symbols WordNumbers::operator()(const std::vector<std::string_view>& words) {
  Symbols symbols;
  symbols.reserve(words.size());
  for (const std::string_view word : words) {
    symbols.push_back(numbers_.try_emplace(word, static_cast<std::uint32_t>(numbers_.size())).first->second);
  }
  return symbols;
}

Ngrams::Ngrams(std::span<const Symbols> sentences)
    : sentences_(sentences), numbers_(sentences.begin(), sentences.end()) {
  KeyNumbers number_of(total_size(sentences));
  for (Symbols& symbols : numbers_) {
    for (std::uint32_t& symbol : symbols) symbol = number_of(symbol);
  }
  distinct_ = number_of.size();
}

// An (n+1)-gram is an n-gram and the symbol after it. The key consists of these two numbers.
void Ngrams::to_next_order() {
  KeyNumbers number_of(total_size(numbers_));
  for (std::size_t s = 0; s < sentences_.size(); ++s) {
    Symbols& ngrams = numbers_[s];
    if (!ngrams.empty()) ngrams.pop_back();
    for (std::size_t i = 0; i < ngrams.size(); ++i) {
      ngrams[i] = number_of(std::uint64_t{ngrams[i]} << 32 | sentences_[s][i + n_]);
    }
  }
  ++n_;
  distinct_ = number_of.size();
}

std::vector<std::int64_t> Ngrams::counts(std::size_t sentence) const {
  std::vector<std::int64_t> counts(distinct_);
  for (const std::uint32_t number : numbers_[sentence]) ++counts[number];
  return counts;
}

std::int64_t count_matches(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& allowed) {
  std::int64_t matches = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) matches += std::min(counts[i], allowed[i]);
  return matches;
}

}  // namespace dragoman::eval
