// What `dragoman score` found out, as text in the manner of sacreBLEU and as JSON.
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
  std::optional<double> p_value;  // against the first system
};

struct SystemResult {
  std::string name;
  std::vector<MetricResult> scores;  // the same metrics for each system
};

struct ScoreReport {
  std::size_t references = 1;
  std::string resampling;  // as in signatures
  std::vector<SystemResult> systems;
};

// One system: a line for each score, with its signature. Several: the signature, and a line for each system below it.
std::string report_text(const ScoreReport& report);

// {"bleu": {"score": ..., "signature": ..., ...}, "chrf": {...}}; for several systems {"systems": [...]}, where each
// has its name too.
Json report_json(const ScoreReport& report);

// The scores of each sentence.
struct SentenceScores {
  const eval::Metric& metric;
  std::vector<double> scores;
};

// A line for each sentence, a column for each score, below a line of names and signatures.
std::string sentences_text(const std::vector<SentenceScores>& columns, std::size_t references);
// {"bleu": {"signature": ..., "scores": [...]}, "chrf": {...}}
std::string sentences_json(const std::vector<SentenceScores>& columns, std::size_t references);

}  // namespace dragoman::cli
