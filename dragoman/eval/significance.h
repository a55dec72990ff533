// Tests whether a difference of scores is more than chance (Koehn, 2004; Riezler and Maxwell, 2005): confidence
// intervals by bootstrap, paired bootstrap, and paired approximate randomisation. With equal seeds the numbers are
// those of sacreBLEU 2.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/eval/metric.h"
#include "dragoman/eval/samples.h"

namespace dragoman::eval {

enum class Resampling : std::uint8_t { kNone, kBootstrap, kRandomisation };
constexpr std::array<std::string_view, 3> names(Resampling) { return {"none", "bootstrap", "randomisation"}; }

struct Trials {
  int number = 1000;  // at least 1; sacreBLEU uses 10,000 for randomisation
  std::uint64_t seed = 12345;
};

// The resampling as part of a signature: "bs:1000|seed:12345" or "ar:10000|seed:12345"; empty for kNone.
std::string resampling_text(Resampling kind, const Trials& trials);

// The mean of the scores of resampled corpora, and half the width of the interval that holds 95 % of them.
struct Interval {
  double mean = 0;
  double half_width = 0;
};

// In all functions below, a corpus must have at least one sentence, and the two corpora of a paired test must have the
// same number.
Interval confidence_interval(const Metric& metric, const SentenceStatistics& corpus, const Trials& trials);
// The limits of the same interval. Half their distance is the half-width. A corpus of one sentence has no width.
Bounds confidence_bounds(const Metric& metric, const SentenceStatistics& corpus, const Trials& trials);

// The p-value estimates the probability of a difference at least as large as the observed one if both systems were
// equally good. Like sacreBLEU, both tests count only trials whose difference is larger than the observed one.
struct PairedBootstrap {
  Interval baseline, system;
  double p_value = 1;
};

PairedBootstrap paired_bootstrap(const Metric& metric, const SentenceStatistics& baseline,
                                 const SentenceStatistics& system, const Trials& trials);

// In each trial, swaps the two systems' translations of randomly chosen sentences. Returns the p-value.
double paired_randomisation(const Metric& metric, const SentenceStatistics& baseline, const SentenceStatistics& system,
                            const Trials& trials);

}  // namespace dragoman::eval
