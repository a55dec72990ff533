// Table 3 from the results of its runs: means over seeds, differences from base, and paired tests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/eval/metric.h"
#include "dragoman/eval/significance.h"
#include "dragoman/study/ablate/rows.h"
#include "dragoman/study/interval.h"

namespace dragoman::study::ablate {

// What a finished run leaves.
struct RunScores {
  std::uint64_t seed = 0;
  double nll = 0;                            // of the references, in nats per subword, without smoothing
  std::vector<std::string> hypotheses = {};  // a line for each reference
};

struct FailedRun {
  std::string row;
  std::uint64_t seed = 0;
  std::string message;
};

// The runs of one row that have finished.
struct RowResults {
  Row row;
  std::int64_t parameters = 0;
  std::vector<RunScores> runs = {};
};

// The scores of a row minus those of base, over the seeds that have finished in both.
struct Difference {
  Mean perplexity, bleu;
  // Paired bootstrap: the probability of a difference of BLEU at least as large if both models were equally good. It
  // draws sentences, each with its translations of all seeds.
  double p_value = 1;
};

struct TableRow {
  std::string name, change;
  std::int64_t parameters = 0;
  std::vector<std::uint64_t> seeds = {};  // of the runs that have finished
  std::vector<double> perplexities = {}, bleus = {};
  std::optional<Mean> perplexity = {}, bleu = {};  // nothing without a finished run
  std::optional<Difference> difference = {};       // nothing for base, and without a seed in common with it
  std::optional<PaperScores> paper = {}, paper_difference = {};
};

struct Table {
  std::vector<TableRow> rows = {};  // base first
  std::vector<FailedRun> failed = {};
  std::string signature = {};              // of BLEU and of the paired tests
  std::vector<std::string> protocol = {};  // sentences on how the runs were made
};

// `results` begins with base. BLEU compares each hypothesis with the reference of the same line.
std::vector<TableRow> table_rows(std::span<const RowResults> results, std::span<const std::string> references,
                                 const eval::Metric& bleu, const eval::Trials& trials);

}  // namespace dragoman::study::ablate
