// dragoman score: computes BLEU, chrF and TER of translations, and whether systems differ, as sacreBLEU does.
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/json_text.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/score_input.h"
#include "dragoman/cli/settings/score_options.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/score_report.h"
#include "dragoman/eval/significance.h"

namespace dragoman::cli {
namespace {

// The counts of one metric for one system. Those of each sentence are kept only if they are needed, because a corpus
// may be larger than memory.
struct Tally {
  eval::Statistics sums;
  eval::SentenceStatistics sentences;
};
using Tallies = std::vector<std::vector<Tally>>;  // [system][metric]

std::vector<std::string> all_systems(const ScoreOptions& options) {
  std::vector<std::string> systems{options.hypothesis};
  systems.insert(systems.end(), options.system.begin(), options.system.end());
  return systems;
}

Tallies count(const ScoreOptions& options, const ChosenMetrics& metrics) {
  const bool keep = options.sentence_level || options.resampling() != eval::Resampling::kNone;
  const std::vector<std::string> systems = all_systems(options);
  for (const std::string& file : systems) announce_typing(file, "score", "the translations");
  for (const std::string& file : options.reference) announce_typing(file, "score", "the references");
  ScoreInput input(systems, options.reference);
  Tallies tallies(input.hypotheses().size(), std::vector<Tally>(metrics.size()));
  while (input.next()) {
    for (std::size_t system = 0; system < tallies.size(); ++system) {
      for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
        Tally& tally = tallies[system][metric];
        const eval::Statistics counted = metrics[metric]->statistics(input.hypotheses()[system], input.references());
        eval::add_statistics(tally.sums, counted);
        if (keep) tally.sentences.add(counted);
      }
    }
  }
  return tallies;
}

// The score of `system`, with its interval or p-value from resampling.
MetricResult result_of(const ScoreOptions& options, const eval::Metric& metric, const Tally& baseline,
                       const Tally& system) {
  MetricResult result{metric, system.sums, std::nullopt, std::nullopt};
  const eval::Trials trials = options.resampling_trials();
  const bool is_baseline = &baseline == &system;
  if (options.confidence) result.interval = eval::confidence_interval(metric, system.sentences, trials);
  if (options.paired == eval::Resampling::kBootstrap) {
    const auto test = eval::paired_bootstrap(metric, baseline.sentences, system.sentences, trials);
    result.interval = test.system;
    if (!is_baseline) result.p_value = test.p_value;
  }
  if (options.paired == eval::Resampling::kRandomisation && !is_baseline) {
    result.p_value = eval::paired_randomisation(metric, baseline.sentences, system.sentences, trials);
  }
  return result;
}

ScoreReport report_of(const ScoreOptions& options, const ChosenMetrics& metrics, const Tallies& tallies) {
  const std::vector<std::string> names = all_systems(options);
  ScoreReport report{.references = options.reference.size(),
                     .resampling = eval::resampling_text(options.resampling(), options.resampling_trials()),
                     .systems = {}};
  for (std::size_t system = 0; system < tallies.size(); ++system) {
    SystemResult& entry = report.systems.emplace_back(SystemResult{names[system], {}});
    for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
      entry.scores.push_back(result_of(options, *metrics[metric], tallies[0][metric], tallies[system][metric]));
    }
  }
  return report;
}

std::vector<SentenceScores> sentence_scores(const ChosenMetrics& metrics, const std::vector<Tally>& tallies) {
  std::vector<SentenceScores> columns;
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    SentenceScores& column = columns.emplace_back(SentenceScores{*metrics[metric], {}});
    const eval::SentenceStatistics& sentences = tallies[metric].sentences;
    for (std::size_t i = 0; i < sentences.size(); ++i) column.scores.push_back(column.metric.score(sentences[i]));
  }
  return columns;
}

void score(CommandSettings& settings) {
  settings.read_file();
  ScoreOptions options;
  settings.apply(options);
  options.validate();
  for (const char* key : {"trials", "seed"}) {
    settings.require_effect(key, options.resampling() != eval::Resampling::kNone, "without --confidence or --paired.");
  }
  const ChosenMetrics metrics = options.metrics();
  const Tallies tallies = count(options, metrics);
  if (options.sentence_level) {
    const std::vector<SentenceScores> columns = sentence_scores(metrics, tallies[0]);
    const std::size_t references = options.reference.size();
    print(options.json ? sentences_json(columns, references) : sentences_text(columns, references));
  } else {
    const ScoreReport report = report_of(options, metrics, tallies);
    print(options.json ? json_text(report_json(report), 2) + "\n" : report_text(report));
  }
}

}  // namespace

void add_score(CLI::App& program) {
  CommandSettings& settings = add_command(program, "score", "BLEU, chrF and TER of translations", score);
  settings.add_flags(ScoreOptions{}, "Options");
  settings.require_keys({"reference"});
  settings.add_examples({{"score translations as they are made",
                          "dragoman translate --model dragoman-demo < dragoman-demo/text/test.en | \\\n"
                          "  dragoman score --reference dragoman-demo/text/test.de"},
                         {"score a file, with confidence intervals",
                          "dragoman score --reference dragoman-demo/text/test.de --hypothesis test.de --confidence"}});
}

}  // namespace dragoman::cli
