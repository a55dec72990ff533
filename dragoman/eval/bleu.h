// BLEU (Papineni et al., 2002), number for number as sacreBLEU 2 computes it.
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

// What an order without a single match counts for (Chen and Cherry, 2014): nothing, which makes the score 0; half a
// match, a quarter for the next such order, and so on (method 3, of mteval-v13a); a small number of matches (method 1).
// The last one adds a number to the matches and to the n-grams of every order but the first (method 2).
enum class Smoothing : std::uint8_t { kNone, kExp, kFloor, kAddK };
constexpr std::array<std::string_view, 4> names(Smoothing) { return {"none", "exp", "floor", "add-k"}; }

struct BleuSettings {
  Tokenization tokenizer = Tokenization::k13a;
  Smoothing smoothing = Smoothing::kExp;
  std::optional<double> smoothing_value = std::nullopt;  // of floor (0.1 unless given) and add-k (1 unless given)
  bool lowercase = false;
  bool split_compounds = false;  // after tokenising: see split_compounds()
  // Average only over orders that the hypothesis is long enough for: for single sentences, which would score 0.
  bool effective_order = false;
};

// What sentences add up to. `correct` n-grams are clipped: one that stands in the hypothesis more often than in any
// reference counts as often as in that reference. The reference's length is that nearest to the hypothesis's, the
// shorter of two that are equally near.
struct BleuStatistics {
  std::array<std::int64_t, kBleuOrder> correct{}, total{};
  std::int64_t hypothesis_length = 0, reference_length = 0;

  BleuStatistics& operator+=(const BleuStatistics& other);
};

struct Bleu {
  double score = 0;                             // 0 to 100
  std::array<double, kBleuOrder> precisions{};  // in per cent, smoothed
  double brevity_penalty = 1;
  BleuStatistics statistics;
};

// Of one sentence. There must be a reference.
BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuSettings& settings = {});

// BLEU = BP * exp(mean over n of log p_n), with BP = min(1, exp(1 - r / c)).
Bleu bleu(const BleuStatistics& statistics, const BleuSettings& settings = {});

// One reference for each hypothesis. Throws a ShapeError if there are more of one than of the other.
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const BleuSettings& settings = {});

// The same as a metric. Its statistics: the two lengths (hypothesis first), `correct`, `total`.
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

 private:
  BleuSettings settings_;
};

}  // namespace dragoman::eval
