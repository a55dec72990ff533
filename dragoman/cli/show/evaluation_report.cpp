#include "dragoman/cli/show/evaluation_report.h"

#include <fmt/format.h>

#include <cmath>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/show/length_table.h"
#include "dragoman/cli/show/score_report.h"

namespace dragoman::cli {
namespace {

// The likelihood of all references together.
struct References {
  double nll = 0;
  std::int64_t subwords = 0, left_out = 0;
  decode::PonderTime source_time = {}, target_time = {};  // of a model that halts

  double nll_per_subword() const { return nll / static_cast<double>(subwords); }
  double perplexity() const { return std::exp(nll_per_subword()); }
};

References sum_of(const Evaluation& evaluation) {
  References sum;
  for (const std::optional<decode::Likelihood>& likelihood : evaluation.likelihoods) {
    sum.nll += likelihood ? likelihood->nll : 0;
    sum.subwords += likelihood ? likelihood->tokens : 0;
    sum.left_out += likelihood ? 0 : 1;
    if (!likelihood) continue;
    sum.source_time += likelihood->source_time;
    sum.target_time += likelihood->target_time;
  }
  return sum;
}

ScoreReport scores_of(const Evaluation& evaluation) {
  SystemResult system{"", {}};
  for (std::size_t i = 0; i < evaluation.metrics.size(); ++i) {
    system.scores.push_back({*evaluation.metrics[i], evaluation.statistics[i].sums(), std::nullopt, std::nullopt});
  }
  return {.references = 1, .resampling = {}, .systems = {system}};
}

std::string references_text(const References& references) {
  if (references.subwords == 0) {
    return "references: no likelihood, because each pair is empty on a side or longer than --longest\n";
  }
  std::string text = fmt::format(
      "references: NLL {:.4f} per subword, perplexity {:.4g} ({}, ends of sentences included)\n",
      references.nll_per_subword(), references.perplexity(), counted(references.subwords, "subword").text());
  if (references.source_time.tokens > 0) {
    text += fmt::format("ponder time (N + R): {:.3f} for a source token, {:.3f} for a token of the references\n",
                        references.source_time.mean(), references.target_time.mean());
  }
  if (references.left_out > 0) {
    text += fmt::format("  without {} of the pairs, which are empty on a side or longer than --longest\n",
                        with_thousands(references.left_out));
  }
  return text;
}

std::string search_text(const decode::SearchSettings& search) {
  const bool is_beam = search.method == decode::Method::kBeam;
  return fmt::format("{}{}, {}:{}", to_string(search.method), is_beam ? fmt::format(" {}", search.beam) : "",
                     to_string(search.length_norm), search.alpha);
}

void add_lengths(Json& object, const std::vector<eval::LengthReport>& systems) {
  for (std::size_t i = 0; i < systems.size(); ++i) {
    Json record = {{"name", systems[i].name}};
    record.update(eval::length_record(systems[i]));
    if (i == 0) {
      object["by_length"] = record;
    } else {
      object["compared"].push_back(record);
    }
  }
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation) {
  const auto sentences = std::ssize(evaluation.translations);
  std::string text = report_text(scores_of(evaluation)) + references_text(sum_of(evaluation));
  text +=
      fmt::format("{} in {:.2f} s: {:.1f} sentences/s, {:.0f} tokens/s ({})\n", counted(sentences, "sentence").text(),
                  evaluation.seconds, static_cast<double>(sentences) / evaluation.seconds,
                  static_cast<double>(evaluation.tokens) / evaluation.seconds, search_text(evaluation.search));
  if (evaluation.cut_short > 0) {
    text += fmt::format("  {} of the translations ran into the length limit\n", with_thousands(evaluation.cut_short));
  }
  if (!evaluation.by_length.empty()) text += "\n" + length_table_text(evaluation.by_length);
  return text;
}

Json evaluation_json(const Evaluation& evaluation) {
  Json object = report_json(scores_of(evaluation));
  const References references = sum_of(evaluation);
  const bool any = references.subwords > 0;
  object["references"] = {{"nll_per_subword", any ? Json(references.nll_per_subword()) : Json()},
                          {"perplexity", any ? Json(references.perplexity()) : Json()},
                          {"subwords", references.subwords},
                          {"left_out", references.left_out}};
  if (references.source_time.tokens > 0) {
    object["ponder_time"] = {{"encoder", references.source_time.mean()}, {"decoder", references.target_time.mean()}};
  }
  const auto sentences = std::ssize(evaluation.translations);
  object["translation"] = {{"sentences", sentences},
                           {"join", evaluation.join},
                           {"tokens", evaluation.tokens},
                           {"cut_short", evaluation.cut_short},
                           {"seconds", evaluation.seconds},
                           {"sentences_per_second", static_cast<double>(sentences) / evaluation.seconds},
                           {"tokens_per_second", static_cast<double>(evaluation.tokens) / evaluation.seconds},
                           {"search", settings_to_json(evaluation.search)}};
  add_lengths(object, evaluation.by_length);
  return object;
}

std::string sentences_text(const Evaluation& evaluation) {
  const bool halts = sum_of(evaluation).source_time.tokens > 0;
  std::string text = "logp\treference NLL\tsubwords";
  if (halts) text += "\tencoder N+R\tdecoder N+R";
  for (const auto& metric : evaluation.sentence_metrics) {
    text += fmt::format("\t{}|{}", metric->name(), eval::signature(*metric, 1));
  }
  text += '\n';
  for (std::size_t i = 0; i < evaluation.translations.size(); ++i) {
    text += fmt::format("{:.4f}\t", evaluation.log_probabilities[i]);
    const std::optional<decode::Likelihood>& likelihood = evaluation.likelihoods[i];
    text += likelihood ? fmt::format("{:.4f}\t{}", likelihood->nll, likelihood->tokens) : "-\t-";
    if (halts) {
      text += likelihood
                  ? fmt::format("\t{:.3f}\t{:.3f}", likelihood->source_time.mean(), likelihood->target_time.mean())
                  : "\t-\t-";
    }
    for (std::size_t m = 0; m < evaluation.sentence_metrics.size(); ++m) {
      const eval::Metric& metric = *evaluation.sentence_metrics[m];
      text += fmt::format("\t{:.{}f}", metric.score(evaluation.statistics[m][i]), metric.digits());
    }
    text += '\n';
  }
  return text;
}

}  // namespace dragoman::cli
