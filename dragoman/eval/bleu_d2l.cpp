#include "dragoman/eval/bleu_d2l.h"

#include <algorithm>
#include <cmath>

#include "dragoman/base/error.h"
#include "dragoman/eval/ngrams.h"
#include "dragoman/eval/spaces.h"

namespace dragoman::eval {

double bleu_d2l(std::string_view hypothesis, std::string_view reference, std::size_t longest) {
  WordNumbers numbers_of;
  const std::vector<Symbols> sentences{numbers_of(split_words(hypothesis)), numbers_of(split_words(reference))};
  const auto length = static_cast<double>(sentences[0].size());
  if (length == 0) return 0;
  double score = std::exp(std::min(0.0, 1 - static_cast<double>(sentences[1].size()) / length));
  Ngrams ngrams(sentences);
  for (std::size_t n = 1; n <= std::min(longest, sentences[0].size()); ++n) {
    if (n > 1) ngrams.to_next_order();
    const auto matches = static_cast<double>(count_matches(ngrams.counts(0), ngrams.counts(1)));
    score *= std::pow(matches / static_cast<double>(ngrams.total(0)), std::pow(0.5, n));
  }
  return score;
}

std::string BleuD2l::settings() const { return join("case:mixed|tok:none|k:", longest_); }

Statistics BleuD2l::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  require<ShapeError>(!references.empty(), "bleu-d2l: a hypothesis has no reference.");
  double best = 0;
  for (const std::string& reference : references) best = std::max(best, bleu_d2l(hypothesis, reference, longest_));
  return {best, 1};
}

double BleuD2l::score(std::span<const double> sums) const { return sums.empty() ? 0 : sums[0] / sums[1]; }

ResampledScore BleuD2l::resampled_score(std::span<const float> sums) const {
  return {.score = static_cast<double>(sums[0]) / static_cast<double>(sums[1]), .is_single = false};
}

}  // namespace dragoman::eval
