// BLEU (Papineni et al., 2002). Its scores are exactly those of sacreBLEU 2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/eval/metric.h"
#include "dragoman/eval/tokenizers.h"

namespace dragoman::eval {

inline constexpr std::size_t kBleuOrder = 4;  // n-grams of one to four tokens

// What BLEU does about an order without a match, which would make the score 0 (Chen and Cherry, 2014):
//   none:   nothing, so the score is 0;
//   exp:    counts half a match for the first such order, a quarter for the next, and so on (method 3, mteval-v13a);
//   floor:  counts a small number of matches (method 1);
//   add-k:  adds k to the matches and to the n-grams of every order but the first (method 2).
enum class BleuSmoothing : std::uint8_t { kNone, kExp, kFloor, kAddK };
constexpr std::array<std::string_view, 4> names(BleuSmoothing) { return {"none", "exp", "floor", "add-k"}; }

struct BleuSettings {
  Tokenization tokenizer = Tokenization::k13a;
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  std::optional<double> smoothing_value = std::nullopt;  // of floor (default 0.1) and add-k (default 1)
  bool lowercase = false;
  bool split_compounds = false;  // applies split_compounds() after the tokeniser
  // Averages only over orders that the hypothesis is long enough for. Meant for single sentences: without it, one of
  // fewer than four tokens always scores 0.
  bool effective_order = false;
};

// The counts of a sentence, or their sums over a corpus. For each order, `total` counts the n-grams of the hypothesis
// and `correct` those that match. Matches are clipped: an n-gram counts at most as often as it occurs in the reference
// that has it most often. The reference length is that of the reference nearest in length to the hypothesis, or of the
// shorter one at a tie.
struct BleuStatistics {
  std::array<std::int64_t, kBleuOrder> correct{}, total{};
  std::int64_t hypothesis_length = 0, reference_length = 0;

  BleuStatistics& operator+=(const BleuStatistics& other);
};

struct Bleu {
  double score = 0;                             // 0 to 100
  std::array<double, kBleuOrder> precisions{};  // in percent, smoothed
  double brevity_penalty = 1;
  BleuStatistics statistics;
};

// The counts of one sentence. Requires at least one reference.
BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuSettings& settings = {});

// BLEU = BP * exp(mean over n of log p_n), with the brevity penalty BP = min(1, exp(1 - r / c)) for a hypothesis of
// length c and a reference of length r.
Bleu bleu(const BleuStatistics& statistics, const BleuSettings& settings = {});

// The score of a corpus with one reference per hypothesis. Throws a ShapeError if their numbers differ.
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const BleuSettings& settings = {});

// BLEU as a Metric. Its statistics are the lengths of hypothesis and reference, `correct` and `total`.
class BleuMetric : public Metric {
 public:
  explicit BleuMetric(const BleuSettings& settings = {}) : settings_(settings) {}

  std::string key() const override { return "bleu"; }
  std::string name() const override { return "BLEU"; }
  std::string settings() const override;
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double score(std::span<const double> sums) const override;
  ResampledScore resampled_score(std::span<const float> sums) const override;
  double shuffled_score(std::span<const double> sums) const override;
  // "75.0/60.0/50.0/40.0 (BP = 0.980 ratio = 0.980 hyp_len = 99 ref_len = 101)", as sacreBLEU prints it.
  std::string details(std::span<const double> sums) const override;
  Json record(std::span<const double> sums) const override;

  // The counts that the statistics hold.
  static BleuStatistics counts_in(std::span<const double> sums);

 private:
  BleuSettings settings_;
};

}  // namespace dragoman::eval
