#include "dragoman/decode/search.h"

#include <algorithm>
#include <cmath>

#include "dragoman/base/error.h"

namespace dragoman::decode {
namespace {

template <class Number>
void expect_within(std::string_view key, Number value, Number least, Number most) {
  require<UsageError>(value >= least && value <= most, key, " is ", value, "; it must be from ", least, " to ", most,
                      ".");
}

}  // namespace

double length_penalty(LengthNorm norm, double alpha, std::int64_t length) {
  switch (norm) {
    case LengthNorm::kGnmt: return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
    case LengthNorm::kPow: return std::pow(static_cast<double>(length), alpha);
    case LengthNorm::kNone: return 1;
  }
  return 1;
}

void SearchSettings::validate() const {
  expect_within("beam", beam, 1, 1000);
  expect_within("alpha", alpha, 0.0, 10.0);
  expect_within("n-best", n_best, 1, 1000);
  expect_within("max-extra", max_extra, 0, 1'000'000);
  expect_within("min-length", min_length, 0, 1'000'000);
  expect_within("no-repeat-ngram", no_repeat_ngram, 0, 1000);
  expect_within("temperature", temperature, 1e-3, 1e3);
  expect_within("top-k", top_k, 0, 1'000'000'000);
  expect_within("top-p", top_p, 1e-9, 1.0);
  require<UsageError>(method != Method::kBeam || n_best <= beam, "n-best is ", n_best, " but the beam is only ", beam,
                      " wide; raise --beam.");
  require<UsageError>(method != Method::kGreedy || n_best == 1, "n-best is ", n_best,
                      " but a greedy search has one result; use --search beam or sample.");
}

std::int64_t words_wanted(const SearchSettings& settings, std::int64_t choices, std::int64_t length) {
  // A word that would repeat a run is one that the hypothesis has said, so there are at most as many as it is long.
  return choices + (settings.no_repeat_ngram > 0 ? length : 0) + (length + 1 < settings.min_length ? 1 : 0);
}

std::int32_t WordTree::add(std::int32_t parent, std::int32_t word, std::int32_t row) {
  words_.push_back({parent, word, row});
  return static_cast<std::int32_t>(words_.size()) - 1;
}

void WordTree::read(std::int32_t last, data::Sentence& words, std::vector<std::int32_t>& rows) const {
  for (std::int32_t at = last; at != kRoot; at = words_[at].parent) {
    words.push_back(words_[at].word);
    rows.push_back(words_[at].row);
  }
  std::ranges::reverse(words);
  std::ranges::reverse(rows);
}

// A word has a higher number than the one before it.
std::int32_t WordTree::common(std::int32_t a, std::int32_t b) const {
  while (a != b) {
    std::int32_t& later = a > b ? a : b;
    later = words_[later].parent;
  }
  return a;
}

std::vector<std::int32_t> WordTree::repeats(std::int32_t last, int n) const {
  std::vector<std::int32_t> words;
  if (n == 0) return words;
  // Each word that was said ended a run: if the words before it are the last n - 1, it would end the same run again.
  for (std::int32_t end = last; end != kRoot; end = words_[end].parent) {
    std::int32_t ours = last, theirs = words_[end].parent;
    int alike = 1;
    while (alike < n && theirs != kRoot && words_[ours].word == words_[theirs].word) {
      ours = words_[ours].parent;
      theirs = words_[theirs].parent;
      ++alike;
    }
    if (alike == n) words.push_back(words_[end].word);
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

}  // namespace dragoman::decode
