#include "dragoman/demo/nearest_neighbour.h"

#include <algorithm>
#include <numeric>

#include "dragoman/base/error.h"
#include "dragoman/demo/plain_words.h"

namespace dragoman::demo {

namespace {

constexpr int kUnknown = -1;  // a word that no training sentence has

// For each word, calls visit with a key made of the word and the number of times it occurred before.
template <class Visit>
void each_occurrence(const std::vector<int>& words, Visit&& visit) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto before = std::count(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i), words[i]);
    visit(static_cast<std::uint64_t>(static_cast<std::uint32_t>(words[i])) << 32 | static_cast<std::uint64_t>(before));
  }
}

// Levenshtein's distance between sequences of words.
int edit_distance(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

NearestNeighbour::NearestNeighbour(const std::vector<TextPair>& pairs) : pairs_(pairs) {
  require<UsageError>(!pairs.empty(), "nearest neighbour: there are no pairs to choose from.");
  sentences_.reserve(pairs.size());
  for (const TextPair& pair : pairs) {
    Words words;
    for (const std::string_view word : plain_words(pair.source))
      words.push_back(ids_.emplace(word, static_cast<int>(ids_.size())).first->second);
    const int number = static_cast<int>(sentences_.size());
    each_occurrence(words, [&](std::uint64_t key) { sentences_with_[key].push_back(number); });
    sentences_.push_back(std::move(words));
  }
}

const TextPair& NearestNeighbour::nearest(std::string_view sentence) const {
  Words words;
  for (const std::string_view word : plain_words(sentence)) {
    const auto known = ids_.find(std::string(word));
    words.push_back(known == ids_.end() ? kUnknown : known->second);
  }
  std::vector<int> shared(sentences_.size());
  each_occurrence(words, [&](std::uint64_t key) {
    const auto found = sentences_with_.find(key);
    if (found == sentences_with_.end()) return;
    for (const int number : found->second) ++shared[number];
  });

  // Each word of the longer sentence that is not shared costs an edit: this bounds the distance from below. The
  // sentences with the lowest bound are measured first; once the bound exceeds the best distance, no later sentence can
  // win.
  std::vector<std::vector<int>> by_bound;
  for (std::size_t number = 0; number < sentences_.size(); ++number) {
    const std::size_t bound = std::max(words.size(), sentences_[number].size()) - shared[number];
    if (bound >= by_bound.size()) by_bound.resize(bound + 1);
    by_bound[bound].push_back(static_cast<int>(number));
  }
  int best = -1, best_distance = 0;
  for (int bound = 0; bound < static_cast<int>(by_bound.size()) && (best < 0 || bound <= best_distance); ++bound)
    for (const int number : by_bound[bound]) {
      if (best >= 0 && bound == best_distance && number > best) break;  // at best a tie, which goes to the first
      const int distance = edit_distance(words, sentences_[number]);
      if (best < 0 || std::pair(distance, number) < std::pair(best_distance, best)) {
        best = number;
        best_distance = distance;
      }
    }
  return pairs_[best];
}

}  // namespace dragoman::demo
