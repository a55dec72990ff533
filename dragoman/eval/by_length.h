// The scores of a test set by the length of its sources, which show how a system does on short and on long sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/eval/metric.h"
#include "dragoman/eval/significance.h"

namespace dragoman::eval {

// The sentences whose sources have from `first` to `last` words, and their scores as a corpus of their own.
struct LengthBucket {
  std::int64_t first = 1, last = 1;
  std::int64_t sentences = 0;
  double bleu = 0;
  Bounds interval = {};  // of BLEU: 95 %, by bootstrap
  double chrf = 0;
  // The length of the hypotheses divided by that of the references, both in the tokens of BLEU; nothing if the
  // references are empty.
  std::optional<double> ratio = {};
};

struct LengthScores {
  int width = 1;                      // words from one bucket to the next
  std::vector<LengthBucket> buckets;  // those with at least one sentence, by length
  LengthBucket all;                   // from the first word of the first bucket to the last word of the last
};

// The number of the bucket for sources of so many words, from 0. Buckets of width N hold 1 to N, N + 1 to 2 N, ...
// words. Sources without words are in the first bucket.
std::int64_t length_bucket(std::int64_t words, int width);

// What scores_by_length() takes: the sources, and the statistics of their hypotheses for the two metrics.
struct ScoredSources {
  std::span<const std::string> sources;
  const Metric& bleu;  // a BleuMetric
  const SentenceStatistics& bleu_statistics;
  const Metric& chrf;
  const SentenceStatistics& chrf_statistics;
};

// Requires a width of at least 1 and at least one source. Throws a ShapeError if the numbers of sources and statistics
// differ. Words are separated by white space.
LengthScores scores_by_length(const ScoredSources& scored, int width, const Trials& trials = {});

}  // namespace dragoman::eval
