// Whether a difference of scores is more than chance (Koehn, 2004; Riezler and Maxwell, 2005): confidence intervals by
// bootstrap, paired bootstrap and paired approximate randomisation. Equal seeds give the numbers that sacreBLEU 2
// gives.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/eval/metric.h"

namespace dragoman::eval {

enum class Resampling : std::uint8_t { kNone, kBootstrap, kRandomisation };
constexpr std::array<std::string_view, 3> names(Resampling) { return {"none", "bootstrap", "randomisation"}; }

struct Trials {
  int number = 1000;  // at least 1; sacreBLEU takes 10,000 for randomisation
  std::uint64_t seed = 12345;
};

// "bs:1000|seed:12345" or "ar:10000|seed:12345", the part of a signature; nothing for none.
std::string resampling_text(Resampling kind, const Trials& trials);

// The mean of the scores of resampled corpora, and half the width of the interval that holds 95 % of them.
struct Interval {
  double mean = 0;
  double half_width = 0;
};

// A corpus below holds at least one sentence, and the two of a paired test hold the same number.
Interval confidence_interval(const Metric& metric, const SentenceStatistics& corpus, const Trials& trials);

// The p-value is about the probability of a difference as large as the real one, or larger, if both systems were
// equally good.
struct PairedBootstrap {
  Interval baseline, system;
  double p_value = 1;
};

PairedBootstrap paired_bootstrap(const Metric& metric, const SentenceStatistics& baseline,
                                 const SentenceStatistics& system, const Trials& trials);

// Swaps the two systems' translations of a sentence, or does not, at random for each; the p-value.
double paired_randomisation(const Metric& metric, const SentenceStatistics& baseline, const SentenceStatistics& system,
                            const Trials& trials);

}  // namespace dragoman::eval
