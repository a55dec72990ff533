#include "dragoman/eval/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/eval/bleu_formula.h"
#include "dragoman/eval/ngrams.h"
#include "dragoman/eval/spaces.h"
#include "dragoman/eval/unicode.h"

namespace dragoman::eval {
namespace {

std::string tokenized(std::string_view sentence, const BleuSettings& settings) {
  const std::string text =
      tokenize(settings.lowercase ? lower_case(sentence) : std::string(sentence), settings.tokenizer);
  return settings.split_compounds ? split_compounds(text) : text;
}

// The tokens of all sentences as numbers, the hypothesis first.
std::vector<Symbols> all_tokens(std::string_view hypothesis, std::span<const std::string> references,
                                const BleuSettings& settings) {
  std::vector<std::string> texts{tokenized(hypothesis, settings)};
  for (const std::string& reference : references) texts.push_back(tokenized(reference, settings));
  WordNumbers numbers_of;
  std::vector<Symbols> sentences;
  for (const std::string& text : texts) sentences.push_back(numbers_of(split_words(text)));
  return sentences;
}

// The n-grams of sentence 0, the hypothesis, that match. Each counts at most as often as in the reference that has it
// most often.
std::int64_t count_correct(const Ngrams& ngrams, std::size_t sentences) {
  std::vector<std::int64_t> allowed = ngrams.counts(1);
  for (std::size_t reference = 2; reference < sentences; ++reference) {
    const std::vector<std::int64_t> counts = ngrams.counts(reference);
    for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = std::max(allowed[i], counts[i]);
  }
  return count_matches(ngrams.counts(0), allowed);
}

std::int64_t nearest_length(const std::vector<Symbols>& sentences) {
  const auto length = [](const Symbols& sentence) { return static_cast<std::int64_t>(sentence.size()); };
  const std::int64_t given = length(sentences[0]);
  const auto nearer = [&](const Symbols& a, const Symbols& b) {
    const std::int64_t to_a = std::abs(length(a) - given), to_b = std::abs(length(b) - given);
    return to_a < to_b || (to_a == to_b && a.size() < b.size());
  };
  return length(*std::min_element(sentences.begin() + 1, sentences.end(), nearer));
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  for (std::size_t i = 0; i < kBleuOrder; ++i) {
    correct[i] += other.correct[i];
    total[i] += other.total[i];
  }
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  return *this;
}

BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuSettings& settings) {
  require<ShapeError>(!references.empty(), "bleu: a hypothesis has no reference.");
  const std::vector<Symbols> sentences = all_tokens(hypothesis, references, settings);
  BleuStatistics statistics;
  Ngrams ngrams(sentences);
  for (std::size_t i = 0; i < kBleuOrder; ++i) {
    if (i > 0) ngrams.to_next_order();
    statistics.correct[i] = count_correct(ngrams, sentences.size());
    statistics.total[i] = ngrams.total(0);
  }
  statistics.hypothesis_length = static_cast<std::int64_t>(sentences[0].size());
  statistics.reference_length = nearest_length(sentences);
  return statistics;
}

Bleu bleu(const BleuStatistics& statistics, const BleuSettings& settings) {
  const auto reals = [](const std::array<std::int64_t, kBleuOrder>& counts) {
    PerOrder<double> result;
    std::copy(counts.begin(), counts.end(), result.begin());
    return result;
  };
  const PerOrder<double> correct = reals(statistics.correct), total = reals(statistics.total);
  const Precisions<double> precisions = bleu_precisions(correct, total, settings);
  const double penalty = brevity_penalty(statistics.hypothesis_length, statistics.reference_length);
  return {.score = penalty * precisions.mean(settings),
          .precisions = precisions.percent,
          .brevity_penalty = penalty,
          .statistics = statistics};
}

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const BleuSettings& settings) {
  require<ShapeError>(hypotheses.size() == references.size(), "bleu: there are ", hypotheses.size(), " hypotheses but ",
                      references.size(), " references.");
  BleuStatistics statistics;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    statistics += bleu_statistics(hypotheses[i], references.subspan(i, 1), settings);
  }
  return bleu(statistics, settings);
}

}  // namespace dragoman::eval
