// The result of `dragoman evaluate`, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/cli/settings/metric_settings.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/eval/length_report.h"
#include "dragoman/eval/metric.h"

namespace dragoman::cli {

struct TestSet {
  std::vector<std::string> sources, references;
};

struct Evaluation {
  decode::SearchSettings search;
  int join = 1;  // lines that make one pair
  std::vector<std::string> translations = {};
  std::vector<double> log_probabilities = {};                       // of the translations
  std::int64_t tokens = 0;                                          // of the translations together
  std::int64_t cut_short = 0;                                       // translations that ran into the length limit
  double seconds = 0;                                               // for translating
  std::vector<std::optional<decode::Likelihood>> likelihoods = {};  // of the references

  ChosenMetrics metrics = {}, sentence_metrics = {};  // the same metrics for the whole text and for single sentences
  std::vector<eval::SentenceStatistics> statistics = {};  // per metric
  // With --by-length: the scores of this system by length, and then those of the systems that it is compared with.
  std::vector<eval::LengthReport> by_length = {};
};

// A line for each score with its signature, one for the likelihood of the references, one for the speed, and a table of
// the scores by length.
std::string evaluation_text(const Evaluation& evaluation);

// {"bleu": {...}, "chrf": {...}, "references": {"nll_per_subword": ..., "perplexity": ..., ...},
//  "translation": {"sentences_per_second": ..., ...}}, and with --by-length {"by_length": a length_record() with the
// name of the system, "compared": [...]}. A model that halts has {"ponder_time": {"encoder": ..., "decoder": ...}},
// means of N + R.
Json evaluation_json(const Evaluation& evaluation);

// A header line, then a line for each sentence: the log-probability of the translation, the negative log-likelihood of
// the reference and its number of subwords ("-" if it was not scored), the mean N + R of both sides if the model halts,
// and the scores of the sentence.
std::string sentences_text(const Evaluation& evaluation);

}  // namespace dragoman::cli
