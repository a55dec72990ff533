// Searches that keep one hypothesis for each result: greedy search (take the likeliest word each time) and sampling
// (draw words from the model's distribution).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/decode/search/search.h"

namespace dragoman::decode {

class SingleSearch {
 public:
  SingleSearch() = default;  // a search that is already done
  // `number` selects the random numbers of this sentence. Sentences with different numbers draw different random
  // numbers, although the seed is the same.
  SingleSearch(const SearchSettings& settings, Bounds bounds, std::int64_t V, std::uint64_t number);

  // The same interface as that of BeamSearch.
  std::int64_t wanted() const;
  bool wants_all() const { return !done() && may_choose_any(); }
  void advance(std::span<const Offer> offers);
  std::span<const Continuation> rows() const { return rows_; }
  bool done() const { return rows_.empty(); }
  std::int64_t steps() const { return step_; }  // taken so far
  // Greedy search has one result. Samples come in the order in which they were drawn, not by score.
  std::vector<Hypothesis> results() const;
  data::Sentence settled() const;

 private:
  // One hypothesis, from its first word to its last.
  struct Path {
    RandomStream random;
    std::int32_t row = 0;                 // its row of the next step, unless it is over
    std::int32_t last = WordTree::kRoot;  // its last word in words_
    std::int64_t length = 0;
    double log_probability = 0;
    bool over = false;
    std::vector<std::int32_t> barred = {};  // words that must not come next (no_repeat_ngram), in ascending order
  };
  struct Word {
    std::int32_t id;
    double log_p;
  };

  // A forced word, and a sample without top_k, can be any word of the vocabulary.
  bool may_choose_any() const { return forced() || (settings_.method == Method::kSample && settings_.top_k == 0); }
  bool forced() const { return step_ < static_cast<std::int64_t>(bounds_.prefix.size()); }
  Word choose(Path& path, const Offer& offer);
  Word draw(RandomStream& random);

  SearchSettings settings_;
  Bounds bounds_;
  std::int64_t V_ = 0;
  std::int64_t step_ = 0;
  WordTree words_;
  std::vector<Path> paths_;  // one for each result
  std::vector<Continuation> rows_;
  std::vector<Word> choices_;    // the words that may come next, likeliest first; a buffer of choose()
  std::vector<double> weights_;  // their unnormalised probabilities; a buffer of draw()
};

}  // namespace dragoman::decode
