#include "dragoman/decode/roles/cooccurrence.h"

#include <algorithm>
#include <unordered_map>

namespace dragoman::decode {
namespace {

constexpr int kRounds = 8;

// The words of one side as numbers.
struct SideWords {
  std::vector<std::vector<std::int32_t>> sentences;
  std::vector<std::int64_t> sentences_with;  // by word
};

SideWords numbered(std::span<const WordPair> pairs, std::vector<std::string> WordPair::* side) {
  SideWords words;
  std::unordered_map<std::string, std::int32_t> numbers;
  for (const WordPair& pair : pairs) {
    std::vector<std::int32_t>& sentence = words.sentences.emplace_back();
    for (const std::string& word : pair.*side) {
      const auto [found, is_new] = numbers.try_emplace(word, static_cast<std::int32_t>(numbers.size()));
      if (is_new) words.sentences_with.push_back(0);
      if (std::ranges::find(sentence, found->second) == sentence.end()) ++words.sentences_with[found->second];
      sentence.push_back(found->second);
    }
  }
  return words;
}

// t(to | from): the probability that a word is translated by another one, learned by expectation maximisation. One more
// word of `from`, the empty word, stands in every sentence; it takes the words that come from none.
class TranslationTable {
 public:
  TranslationTable(const SideWords& from, const SideWords& to)
      : from_(from), to_(to), empty_(static_cast<std::int32_t>(from.sentences_with.size())) {
    for (int round = 0; round < kRounds; ++round) learn();
  }

  double at(std::int32_t from, std::int32_t to) const {
    const auto found = t_.find(key(from, to));
    return found == t_.end() ? 0 : found->second;
  }

 private:
  static std::uint64_t key(std::int32_t from, std::int32_t to) {
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  }

  void learn() {
    std::unordered_map<std::uint64_t, double> counts;
    std::vector<double> totals(from_.sentences_with.size() + 1, 0.0);
    const bool is_first = t_.empty();
    for (std::size_t s = 0; s < from_.sentences.size(); ++s) {
      std::vector<std::int32_t> sources = from_.sentences[s];
      sources.push_back(empty_);
      for (const std::int32_t target : to_.sentences[s]) {
        const auto weight = [&](std::int32_t source) { return is_first ? 1.0 : at(source, target); };
        double sum = 0;
        for (const std::int32_t source : sources) sum += weight(source);
        for (const std::int32_t source : sources) {
          counts[key(source, target)] += weight(source) / sum;
          totals[source] += weight(source) / sum;
        }
      }
    }
    for (auto& [words, count] : counts) count /= totals[words >> 32];
    t_ = std::move(counts);
  }

  const SideWords& from_;
  const SideWords& to_;
  std::int32_t empty_;
  std::unordered_map<std::uint64_t, double> t_;
};

bool occurs_once(const std::vector<std::int32_t>& sentence, std::int32_t word) {
  return std::ranges::count(sentence, word) == 1;
}

// For each word of `to` in a sentence the index of its best partner among those of `from`; -1 if there are none.
std::vector<std::int64_t> best_partners(const TranslationTable& table, const std::vector<std::int32_t>& from,
                                        const std::vector<std::int32_t>& to) {
  std::vector<std::int64_t> best(to.size(), -1);
  for (std::size_t j = 0; j < to.size(); ++j) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (best[j] < 0 || table.at(from[i], to[j]) > table.at(from[best[j]], to[j])) {
        best[j] = static_cast<std::int64_t>(i);
      }
    }
  }
  return best;
}

}  // namespace

std::vector<std::vector<eval::WordLink>> clear_links(std::span<const WordPair> pairs) {
  const SideWords source = numbered(pairs, &WordPair::source), target = numbered(pairs, &WordPair::target);
  const TranslationTable forward(source, target), backward(target, source);
  std::vector<std::vector<eval::WordLink>> links(pairs.size());
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    const auto &from = source.sentences[s], &to = target.sentences[s];
    const auto best_source = best_partners(forward, from, to), best_target = best_partners(backward, to, from);
    for (std::int64_t j = 0; j < std::ssize(to); ++j) {
      const std::int64_t i = best_source[j];
      if (i < 0 || best_target[i] != j || !occurs_once(from, from[i]) || !occurs_once(to, to[j])) continue;
      if (std::min(source.sentences_with[from[i]], target.sentences_with[to[j]]) < kMinSentences) continue;
      links[s].push_back({.source = i, .target = j});
    }
  }
  return links;
}

}  // namespace dragoman::decode
