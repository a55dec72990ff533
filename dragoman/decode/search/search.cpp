#include "dragoman/decode/search/search.h"

#include <algorithm>
#include <cmath>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"

namespace dragoman::decode {

double length_penalty(LengthNorm norm, double alpha, std::int64_t length) {
  switch (norm) {
    case LengthNorm::kGnmt: return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
    case LengthNorm::kPow: return std::pow(static_cast<double>(length), alpha);
    case LengthNorm::kNone: return 1;
  }
  return 1;
}

void SearchSettings::validate(std::string_view prefix) const {
  require_between("beam", beam, 1, 1000);
  require_between("alpha", alpha, 0.0, 10.0);
  require_between("n-best", n_best, 1, 1000);
  require_between("max-extra", max_extra, 0, 1'000'000);
  require_between("min-length", min_length, 0, 1'000'000);
  require_between("no-repeat-ngram", no_repeat_ngram, 0, 1000);
  require_between("temperature", temperature, 1e-3, 1e3);
  require_between("top-k", top_k, 0, 1'000'000'000);
  require<UsageError>(top_p >= 1e-9 && top_p <= 1, "top-p is ", top_p, "; it must be above 0 and at most 1.");
  require<UsageError>(method != Method::kBeam || n_best <= beam, "n-best is ", n_best, " but the beam is only ", beam,
                      " wide; raise ", prefix, "beam.");
  require<UsageError>(method != Method::kGreedy || n_best == 1, "n-best is ", n_best,
                      " but a greedy search has one result; use ", prefix, "search beam or ", prefix,
                      prefix.empty() ? "" : "search ", "sample.");
}

std::int64_t words_wanted(const SearchSettings& settings, std::int64_t choices, std::int64_t barred,
                          std::int64_t length) {
  return choices + barred + (length + 1 < settings.min_length ? 1 : 0);  // the one is EOS, which must not come yet
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

// A word's index is higher than its parent's, so the higher of the two indices can be replaced by its parent.
std::int32_t WordTree::common(std::int32_t a, std::int32_t b) const {
  while (a != b) {
    std::int32_t& later = a > b ? a : b;
    later = words_[later].parent;
  }
  return a;
}

// Reads the hypothesis backwards, so that its last n - 1 words come first. Wherever these n - 1 words occur again, the
// word that followed them there is barred. The Z algorithm computes for each position how many words from there on
// equal the words from the start on; its time is linear in the length of the hypothesis and does not depend on n.
std::vector<std::int32_t> WordTree::repeats(std::int32_t last, int n) const {
  std::vector<std::int32_t> barred;
  if (n == 0) return barred;
  std::vector<std::int32_t> backwards;
  for (std::int32_t at = last; at != kRoot; at = words_[at].parent) backwards.push_back(words_[at].word);
  const std::size_t length = backwards.size(), common_words = static_cast<std::size_t>(n) - 1;
  std::vector<std::size_t> alike(length + 1);  // words from each position on that equal those from the start on
  std::size_t begin = 0, end = 0;              // of the matches found so far, the one that ends last
  for (std::size_t at = 1; at <= length; ++at) {
    if (at < end) alike[at] = std::min(end - at, alike[at - begin]);
    while (at + alike[at] < length && backwards[at + alike[at]] == backwards[alike[at]]) ++alike[at];
    if (at + alike[at] > end) {
      begin = at;
      end = at + alike[at];
    }
    if (alike[at] >= common_words) barred.push_back(backwards[at - 1]);  // the word that followed them there
  }
  std::ranges::sort(barred);
  barred.erase(std::ranges::unique(barred).begin(), barred.end());
  return barred;
}

}  // namespace dragoman::decode
