// The result of `dragoman score`, as text in the format of sacreBLEU and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/eval/metric.h"
#include "dragoman/eval/significance.h"

namespace dragoman::cli {

struct MetricResult {
  const eval::Metric& metric;
  eval::Statistics sums;
  std::optional<eval::Interval> interval;
  std::optional<double> p_value;  // for the difference from the first system
};

struct SystemResult {
  std::string name;
  std::vector<MetricResult> scores;  // the same metrics for each system
};

struct ScoreReport {
  std::size_t references = 1;
  std::string resampling;  // as it is written in signatures
  std::vector<SystemResult> systems;
};

// For one system: a line for each score, with its signature. For several: each signature, with a line for each system
// below it.
std::string report_text(const ScoreReport& report);

// {"bleu": {"score": ..., "signature": ..., ...}, "chrf": {...}}; for several systems {"systems": [...]}, where each
// entry also has the name of its system.
Json report_json(const ScoreReport& report);

// The scores of each sentence.
struct SentenceScores {
  const eval::Metric& metric;
  std::vector<double> scores;
};

// A header line with names and signatures, then a line for each sentence with a column for each score.
std::string sentences_text(const std::vector<SentenceScores>& columns, std::size_t references);
// {"bleu": {"signature": ..., "scores": [...]}, "chrf": {...}}
std::string sentences_json(const std::vector<SentenceScores>& columns, std::size_t references);

}  // namespace dragoman::cli
