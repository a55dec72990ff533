#include "dragoman/study/ablate/table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dragoman/eval/spaces.h"

namespace dragoman::study::ablate {
namespace {

struct SeedScores {
  double perplexity = 0, bleu = 0;
  eval::SentenceStatistics statistics;
};
using ScoresBySeed = std::map<std::uint64_t, SeedScores>;

// Lines as `dragoman score` reads them.
std::vector<std::string> trimmed(std::span<const std::string> lines) {
  std::vector<std::string> all;
  for (const std::string& line : lines) all.emplace_back(eval::trimmed_right(line));
  return all;
}

ScoresBySeed scores_of(const RowResults& results, std::span<const std::string> references, const eval::Metric& bleu) {
  ScoresBySeed scores;
  for (const RunScores& run : results.runs) {
    SeedScores one{.perplexity = std::exp(run.nll),
                   .bleu = 0,
                   .statistics = eval::corpus_statistics(bleu, trimmed(run.hypotheses), references)};
    one.bleu = bleu.score(one.statistics.sums());
    scores.emplace(run.seed, std::move(one));
  }
  return scores;
}

// For each sentence the sums over the seeds, so that a bootstrap draws all translations of a sentence together: they
// are not independent of each other.
eval::SentenceStatistics pooled(const ScoresBySeed& scores, std::span<const std::uint64_t> seeds) {
  eval::SentenceStatistics sums;
  for (std::size_t sentence = 0; sentence < scores.at(seeds.front()).statistics.size(); ++sentence) {
    eval::Statistics sum;
    for (const std::uint64_t seed : seeds) eval::add_statistics(sum, scores.at(seed).statistics[sentence]);
    sums.add(sum);
  }
  return sums;
}

std::optional<Difference> difference(const ScoresBySeed& base, const ScoresBySeed& row, const eval::Metric& bleu,
                                     const eval::Trials& trials) {
  std::vector<std::uint64_t> seeds;
  std::vector<double> perplexities, bleus;
  for (const auto& [seed, scores] : row) {
    const auto of_base = base.find(seed);
    if (of_base == base.end()) continue;
    seeds.push_back(seed);
    perplexities.push_back(scores.perplexity - of_base->second.perplexity);
    bleus.push_back(scores.bleu - of_base->second.bleu);
  }
  if (seeds.empty()) return std::nullopt;
  const eval::SentenceStatistics of_base = pooled(base, seeds), of_row = pooled(row, seeds);
  // The test counts only trials with a larger difference than the observed one, so without any difference it would
  // find none and call the rows different.
  const bool is_equal = bleu.score(of_base.sums()) == bleu.score(of_row.sums());
  return Difference{.perplexity = mean_of(perplexities),
                    .bleu = mean_of(bleus),
                    .p_value = is_equal ? 1 : eval::paired_bootstrap(bleu, of_base, of_row, trials).p_value};
}

}  // namespace

std::vector<TableRow> table_rows(std::span<const RowResults> results, std::span<const std::string> references,
                                 const eval::Metric& bleu, const eval::Trials& trials) {
  const std::vector<std::string> read_references = trimmed(references);
  std::vector<TableRow> rows;
  ScoresBySeed base;
  for (const RowResults& result : results) {
    const bool is_base = rows.empty();
    const ScoresBySeed scores = scores_of(result, read_references, bleu);
    TableRow& row = rows.emplace_back(TableRow{.name = result.row.name,
                                               .change = result.row.change,
                                               .parameters = result.parameters,
                                               .paper = result.row.paper});
    for (const auto& [seed, one] : scores) {
      row.seeds.push_back(seed);
      row.perplexities.push_back(one.perplexity);
      row.bleus.push_back(one.bleu);
    }
    if (!scores.empty()) {
      row.perplexity = mean_of(row.perplexities);
      row.bleu = mean_of(row.bleus);
    }
    if (is_base) {
      base = scores;
      continue;
    }
    row.difference = difference(base, scores, bleu, trials);
    const std::optional<PaperScores>& paper_base = rows.front().paper;
    if (row.paper && paper_base) {
      row.paper_difference = PaperScores{.perplexity = row.paper->perplexity - paper_base->perplexity,
                                         .bleu = row.paper->bleu - paper_base->bleu};
    }
  }
  return rows;
}

}  // namespace dragoman::study::ablate
