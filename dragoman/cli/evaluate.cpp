// dragoman evaluate: translates a test set, scores the translations, and computes the likelihood of the references.
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/evaluate_by_length.h"
#include "dragoman/cli/settings/evaluate_options.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/settings/translation_settings.h"
#include "dragoman/cli/show/evaluation_report.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/progress.h"
#include "dragoman/cli/swapped_files.h"
#include "dragoman/data/joined_lines.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/eval/spaces.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 29;  // of a test set
constexpr std::size_t kBytesForLine = 200;               // per line besides its text: statistics and results

TestSet read_test_set(const EvaluateOptions& options) {
  data::ParallelReader reader({.source = options.source, .target = options.reference});
  TestSet set;
  std::size_t bytes = 0;
  for (std::string source, reference; reader.next(source, reference);) {
    bytes += source.size() + reference.size() + kBytesForLine;
    require<UsageError>(bytes <= kMaxBytes, "'", options.source, "' and '", options.reference,
                        "' are too large for a test set, which is held in memory: line ", reader.line(), " is beyond ",
                        kMaxBytes >> 20, " MiB; split them.");
    set.sources.push_back(source);
    set.references.push_back(reference);
  }
  require<UsageError>(!set.sources.empty(), text::shown_name(options.source),
                      " is empty: there is nothing to translate.");
  return {.sources = data::joined_lines(std::move(set.sources), options.join),
          .references = data::joined_lines(std::move(set.references), options.join)};
}

void translate(decode::Translator& translator, const TestSet& set, Evaluation& evaluation) {
  ProgressLine progress({.unit = "sentences"});
  const auto next = [&, at = set.sources.begin()](decode::SourceLine& line, const std::stop_token&) mutable {
    if (at == set.sources.end()) return false;
    line.text = *at++;
    return true;
  };
  const auto begin = std::chrono::steady_clock::now();
  translator.translate(next, [&](const decode::TranslatedLine& line) {
    evaluation.translations.push_back(line.text);
    evaluation.log_probabilities.push_back(line.log_probability);
    evaluation.tokens += line.tokens;
    evaluation.cut_short += line.finished ? 0 : 1;
    progress.show({.done = line.number, .total = std::ssize(set.sources), .text = "translating"});
  });
  evaluation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Computes the likelihoods of the references, in parts, so that progress can be shown.
void score_references(decode::Translator& translator, const TestSet& set, Evaluation& evaluation) {
  constexpr std::size_t kPart = 500;
  ProgressLine progress({.unit = "sentences"});
  for (std::size_t first = 0; first < set.sources.size(); first += kPart) {
    const std::size_t count = std::min(kPart, set.sources.size() - first);
    const auto part = translator.likelihoods(std::span(set.sources).subspan(first, count),
                                             std::span(set.references).subspan(first, count));
    evaluation.likelihoods.insert(evaluation.likelihoods.end(), part.begin(), part.end());
    progress.show({.done = static_cast<std::int64_t>(first + count),
                   .total = std::ssize(set.sources),
                   .text = "scoring the references"});
  }
}

// Lines as `dragoman score` reads them.
std::vector<std::string> without_spaces_at_end(const std::vector<std::string>& lines) {
  std::vector<std::string> trimmed;
  for (const std::string& line : lines) trimmed.emplace_back(eval::trimmed_right(line));
  return trimmed;
}

void score(const MetricSettings& metric, const TestSet& set, Evaluation& evaluation) {
  const std::vector<std::string> hypotheses = without_spaces_at_end(evaluation.translations);
  const std::vector<std::string> references = without_spaces_at_end(set.references);
  evaluation.metrics = metric.metrics(ScoreLevel::kCorpus);
  evaluation.sentence_metrics = metric.metrics(ScoreLevel::kSentence);
  for (const auto& one : evaluation.metrics) {
    evaluation.statistics.push_back(eval::corpus_statistics(*one, hypotheses, references));
  }
}

void print_results(const EvaluateOptions& options, const Evaluation& evaluation) {
  if (options.scores == "-") print(sentences_text(evaluation) + "\n");
  print(options.json ? json_text(evaluation_json(evaluation), 2) + "\n" : evaluation_text(evaluation));
  flush_output();
}

// Writes the files and prints the scores. Whatever fails is reported after all else is written, because the translation
// may have taken hours.
void give_results(const EvaluateOptions& options, const LengthOptions& length_options, const Evaluation& evaluation) {
  std::exception_ptr failure;
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const Error&) {
      if (!failure) failure = std::current_exception();
    }
  };
  if (!options.output.empty()) {
    attempt([&] { replace_file(options.output, fmt::format("{}\n", fmt::join(evaluation.translations, "\n"))); });
  }
  if (!options.scores.empty() && options.scores != "-") {
    attempt([&] { replace_file(options.scores, sentences_text(evaluation)); });
  }
  attempt([&] { write_length_scores(length_options, evaluation.by_length); });
  attempt([&] { write_length_chart(length_options, evaluation.by_length); });
  print_results(options, evaluation);
  if (failure) std::rethrow_exception(failure);
}

void evaluate(CommandSettings& settings) {
  settings.read_file();
  TranslationSettings translation_settings;
  MetricSettings metric;
  EvaluateOptions options;
  LengthOptions length_options;
  settings.apply(translation_settings);
  const decode::SearchSettings search = search_settings(settings, translation_settings);
  settings.apply(metric);
  settings.apply(options);
  settings.apply(length_options);
  require_search_effects(settings, search);
  settings.require_effect("n-best", search.method == decode::Method::kSample || search.n_best == 1,
                          "here: only the best translation is scored.");
  options.validate();
  length_options.validate(options, settings);
  metric.validate();
  decode::TranslatorOptions translator_options = options_of(translation_settings, search);
  translator_options.report = note;
  const std::vector<eval::LengthReport> compared = compared_systems(length_options, metric);
  announce_typing(options.source, "evaluate", "the sentences");
  announce_typing(options.reference, "evaluate", "the references");
  const TestSet set = read_test_set(options);
  decode::Translator translator(directories(translation_settings), translator_options);
  warn_if_swapped("evaluate", translator.model().info,
                  {.source = options.source, .reference = options.reference, .flags = "--source and --reference"});
  Evaluation evaluation{.search = search, .join = options.join};
  translate(translator, set, evaluation);
  score_references(translator, set, evaluation);
  score(metric, set, evaluation);
  if (length_options.by_length > 0) {
    evaluation.by_length =
        with_compared(length_report(length_options, translation_settings.model, set, evaluation), compared);
  }
  give_results(options, length_options, evaluation);
}

}  // namespace

void add_evaluate(CLI::App& program) {
  CommandSettings& settings = add_command(program, "evaluate", "translate a test set and score it", evaluate);
  settings.add_flags(EvaluateOptions{}, "Options");
  settings.add_flags(LengthOptions{}, "Scores by length");
  settings.add_flags(TranslationSettings{}, "Translation");
  settings.add_flags(MetricSettings{}, "Scores");
  settings.add_flags(decode::SearchSettings{}, "Search");
  settings.require_keys({"source", "reference", "model"});
  settings.add_examples({{"BLEU and chrF on a test set",
                          "dragoman evaluate --model dragoman-demo \\\n"
                          "  --source dragoman-demo/text/test.en --reference dragoman-demo/text/test.de"},
                         {"the same with greedy search, as JSON, and keep the translations",
                          "dragoman evaluate --model dragoman-demo --search greedy --json --output test.de \\\n"
                          "  --source dragoman-demo/text/test.en --reference dragoman-demo/text/test.de"},
                         {"how well long inputs are translated: scores by length, with a chart",
                          "dragoman evaluate --model dragoman-demo --join 2 --by-length 5 --chart lengths.html \\\n"
                          "  --source dragoman-demo/text/test.en --reference dragoman-demo/text/test.de"}});
}

}  // namespace dragoman::cli
