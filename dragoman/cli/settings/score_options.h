// The flags of `dragoman score`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/cli/settings/metric_settings.h"
#include "dragoman/eval/significance.h"

namespace dragoman::cli {

struct ScoreOptions {
  std::vector<std::string> reference;
  std::string hypothesis = "-";
  std::vector<std::string> system;
  MetricSettings metric;
  bool sentence_level = false;
  bool confidence = false;
  eval::Resampling paired = eval::Resampling::kNone;
  int trials = 0;
  std::uint64_t seed = 12345;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("reference", file_name(reference), "files of reference translations, one line per hypothesis");
    field("hypothesis", file_name(hypothesis), "file of translations to score; - is standard input");
    field("system", file_name(system), "files of translations by other systems, to compare with the hypotheses");
    metric.fields(field);
    field("sentence-level", sentence_level, "score each sentence instead of the whole text");
    field("confidence", confidence, "95 % confidence intervals by bootstrap");
    field("paired", paired, "significance test of each system against the hypotheses");
    field("trials", trials, "resampled corpora; 0 for 1000, or 10000 with randomisation");
    field("seed", seed, "random seed; the generator is that of NumPy");
    field("json", json, "print JSON");
  }

  // Throws a UsageError for settings that are missing or contradict each other.
  void validate() const;

  // How corpora are resampled, for confidence intervals or for a test of significance.
  eval::Resampling resampling() const { return confidence ? eval::Resampling::kBootstrap : paired; }
  eval::Trials resampling_trials() const;

  ChosenMetrics metrics() const { return metric.metrics(sentence_level ? ScoreLevel::kSentence : ScoreLevel::kCorpus); }
};

}  // namespace dragoman::cli
