// BLEU of a corpus (Papineni et al., 2002), number for number as sacreBLEU 2 computes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dragoman::eval {

inline constexpr std::size_t kBleuOrder = 4;  // n-grams of one to four tokens

// What an order without a single match counts for: nothing, which makes the score 0, or half a match, a quarter for the
// next such order, and so on (mteval-v13a; Chen and Cherry, 2014, method 3).
enum class Smoothing : std::uint8_t { kNone, kExp };
constexpr std::array<std::string_view, 2> names(Smoothing) { return {"none", "exp"}; }

struct BleuSettings {
  Smoothing smoothing = Smoothing::kExp;
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

// Of one sentence, whose text 13a cuts into tokens. There must be a reference.
BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references);

// BLEU = BP * exp(mean over n of log p_n), with BP = min(1, exp(1 - r / c)).
Bleu bleu(const BleuStatistics& statistics, const BleuSettings& settings = {});

// One reference for each hypothesis. Throws a ShapeError if there are more of one than of the other.
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const BleuSettings& settings = {});

// How the score was computed, to print beside it: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp".
std::string bleu_signature(const BleuSettings& settings, std::size_t references = 1);

// "53.31 75.0/60.0/50.0/40.0 (BP = 0.980 ratio = 0.980 hyp_len = 99 ref_len = 101)", as sacreBLEU prints it.
std::string bleu_text(const Bleu& bleu);

}  // namespace dragoman::eval
