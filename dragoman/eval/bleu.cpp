#include "dragoman/eval/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/eval/tokenize_13a.h"

namespace dragoman::eval {
namespace {

// A sentence as tokens. An n-gram is a stretch of the text, since one space stands between tokens and none in them.
class Tokens {
 public:
  explicit Tokens(std::string_view sentence) : text_(tokenize_13a(sentence)) {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find(' ', begin), text_.size());
      tokens_.push_back({begin, end});
      begin = end + 1;
    }
  }

  std::int64_t count() const { return static_cast<std::int64_t>(tokens_.size()); }

  template <class Visit>
  void each_ngram(std::size_t n, Visit&& visit) const {
    for (std::size_t i = 0; i + n <= tokens_.size(); ++i) {
      const std::size_t begin = tokens_[i].begin, end = tokens_[i + n - 1].end;
      visit(std::string_view(text_).substr(begin, end - begin));
    }
  }

 private:
  struct Token {
    std::size_t begin, end;
  };
  std::string text_;
  std::vector<Token> tokens_;
};

using Counts = std::unordered_map<std::string_view, std::int64_t>;

Counts count_ngrams(const Tokens& tokens, std::size_t n) {
  Counts counts;
  tokens.each_ngram(n, [&counts](std::string_view ngram) { counts[ngram] += 1; });
  return counts;
}

std::int64_t count_correct(const Tokens& hypothesis, const std::vector<Tokens>& references, std::size_t n) {
  Counts allowed;
  for (const Tokens& reference : references) {
    for (const auto& [ngram, count] : count_ngrams(reference, n)) allowed[ngram] = std::max(allowed[ngram], count);
  }
  std::int64_t correct = 0;
  for (const auto& [ngram, count] : count_ngrams(hypothesis, n)) {
    if (const auto found = allowed.find(ngram); found != allowed.end()) correct += std::min(count, found->second);
  }
  return correct;
}

std::int64_t nearest_length(std::int64_t length, const std::vector<Tokens>& references) {
  const auto nearer = [length](const Tokens& a, const Tokens& b) {
    const std::int64_t to_a = std::abs(a.count() - length), to_b = std::abs(b.count() - length);
    return to_a < to_b || (to_a == to_b && a.count() < b.count());
  };
  return std::min_element(references.begin(), references.end(), nearer)->count();
}

double brevity_penalty(const BleuStatistics& statistics) {
  const auto c = static_cast<double>(statistics.hypothesis_length);
  const auto r = static_cast<double>(statistics.reference_length);
  if (c >= r) return 1;
  return c > 0 ? std::exp(1 - r / c) : 0;
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

BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references) {
  require<ShapeError>(!references.empty(), "bleu: a hypothesis has no reference.");
  const Tokens tokens(hypothesis);
  const std::vector<Tokens> expected(references.begin(), references.end());
  BleuStatistics statistics;
  for (std::size_t n = 1; n <= kBleuOrder; ++n) {
    statistics.correct[n - 1] = count_correct(tokens, expected, n);
    statistics.total[n - 1] = std::max<std::int64_t>(0, tokens.count() - static_cast<std::int64_t>(n) + 1);
  }
  statistics.hypothesis_length = tokens.count();
  statistics.reference_length = nearest_length(tokens.count(), expected);
  return statistics;
}

Bleu bleu(const BleuStatistics& statistics, const BleuSettings& settings) {
  const auto& [correct, total, hypothesis_length, reference_length] = statistics;
  Bleu result{.score = 0, .precisions = {}, .brevity_penalty = brevity_penalty(statistics), .statistics = statistics};
  if (std::ranges::all_of(correct, [](std::int64_t count) { return count == 0; })) return result;

  std::size_t orders = 0;  // that the hypotheses are long enough for
  double halvings = 1;
  for (; orders < kBleuOrder && total[orders] > 0; ++orders) {
    const auto of = static_cast<double>(total[orders]);
    double& precision = result.precisions[orders];
    precision = 100 * static_cast<double>(correct[orders]) / of;
    if (correct[orders] > 0 || settings.smoothing == Smoothing::kNone) continue;
    halvings *= 2;
    precision = 100 / (halvings * of);
  }

  const std::size_t averaged = settings.effective_order ? orders : kBleuOrder;
  double sum = 0;  // the logarithm of a precision of 0 makes the score 0
  for (std::size_t i = 0; i < averaged; ++i) sum += std::log(result.precisions[i]);
  result.score = result.brevity_penalty * std::exp(sum / static_cast<double>(averaged));
  return result;
}

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const BleuSettings& settings) {
  require<ShapeError>(hypotheses.size() == references.size(), "bleu: there are ", hypotheses.size(), " hypotheses but ",
                      references.size(), " references.");
  BleuStatistics statistics;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    statistics += bleu_statistics(hypotheses[i], references.subspan(i, 1));
  }
  return bleu(statistics, settings);
}

std::string bleu_signature(const BleuSettings& settings, std::size_t references) {
  return fmt::format("nrefs:{}|case:mixed|eff:{}|tok:13a|smooth:{}", references,
                     settings.effective_order ? "yes" : "no", to_string(settings.smoothing));
}

std::string bleu_text(const Bleu& bleu) {
  const auto& [c, r] = std::pair(bleu.statistics.hypothesis_length, bleu.statistics.reference_length);
  const double ratio = r > 0 ? static_cast<double>(c) / static_cast<double>(r) : 0;
  return fmt::format("{:.2f} {:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", bleu.score,
                     fmt::join(bleu.precisions, "/"), bleu.brevity_penalty, ratio, c, r);
}

}  // namespace dragoman::eval
