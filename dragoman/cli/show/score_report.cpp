#include "dragoman/cli/show/score_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/utf8.h"

namespace dragoman::cli {
namespace {

std::string score_text(const MetricResult& result) {
  return fmt::format("{:.{}f}", result.metric.score(result.sums), result.metric.digits());
}

std::string interval_text(const MetricResult& result, const char* label) {
  if (!result.interval) return {};
  const int digits = result.metric.digits();
  return fmt::format(" ({}{:.{}f} ± {:.{}f})", label, result.interval->mean, digits, result.interval->half_width,
                     digits);
}

// With a star if the difference is significant (p <= 0.05).
std::string p_value_text(const MetricResult& result) {
  if (!result.p_value) return {};
  return fmt::format(" (p = {:.4f}){}", *result.p_value, *result.p_value > 0.05 ? "" : "*");
}

std::string headline(const MetricResult& result, const ScoreReport& report) {
  return result.metric.name() + "|" + eval::signature(result.metric, report.references, report.resampling);
}

std::string line_text(const MetricResult& result, const ScoreReport& report) {
  const std::string details = result.metric.details(result.sums);
  return headline(result, report) + " = " + score_text(result) + interval_text(result, "μ = ") +
         (details.empty() ? "" : " ") + details + "\n";
}

std::string comparison_text(const ScoreReport& report, std::size_t metric) {
  std::size_t widest = 0;
  for (const SystemResult& system : report.systems) widest = std::max(widest, count_characters(system.name));
  std::string text = headline(report.systems[0].scores[metric], report) + "\n";
  for (const SystemResult& system : report.systems) {
    const MetricResult& result = system.scores[metric];
    const std::string padding(widest - count_characters(system.name), ' ');
    text += "  " + system.name + padding + "  " + score_text(result) + interval_text(result, "") +
            p_value_text(result) + "\n";
  }
  return text;
}

Json scores_json(const SystemResult& system, const ScoreReport& report) {
  Json object = Json::object();
  for (const MetricResult& result : system.scores) {
    Json& entry = object[result.metric.key()];
    entry = {{"name", result.metric.name()},
             {"score", result.metric.score(result.sums)},
             {"signature", eval::signature(result.metric, report.references, report.resampling)}};
    if (result.interval) {
      entry["confidence"] = {{"mean", result.interval->mean}, {"half_width", result.interval->half_width}};
    }
    if (result.p_value) entry["p_value"] = *result.p_value;
    entry.update(result.metric.record(result.sums));
  }
  return object;
}

}  // namespace

std::string report_text(const ScoreReport& report) {
  std::string text;
  for (std::size_t metric = 0; metric < report.systems[0].scores.size(); ++metric) {
    const bool is_single = report.systems.size() == 1;
    text += is_single ? line_text(report.systems[0].scores[metric], report) : comparison_text(report, metric);
  }
  return text;
}

Json report_json(const ScoreReport& report) {
  if (report.systems.size() == 1) return scores_json(report.systems[0], report);
  Json systems = Json::array();
  for (const SystemResult& system : report.systems) {
    Json entry{{"system", system.name}};
    entry.update(scores_json(system, report));
    systems.push_back(entry);
  }
  return Json{{"systems", systems}};
}

std::string sentences_text(const std::vector<SentenceScores>& columns, std::size_t references) {
  std::vector<std::string> cells;
  for (const auto& [metric, scores] : columns) {
    cells.push_back(metric.name() + "|" + eval::signature(metric, references));
  }
  std::string text = fmt::format("{}\n", fmt::join(cells, "\t"));
  for (std::size_t i = 0; i < columns[0].scores.size(); ++i) {
    cells.clear();
    for (const auto& [metric, scores] : columns) cells.push_back(fmt::format("{:.{}f}", scores[i], metric.digits()));
    text += fmt::format("{}\n", fmt::join(cells, "\t"));
  }
  return text;
}

std::string sentences_json(const std::vector<SentenceScores>& columns, std::size_t references) {
  Json object = Json::object();
  for (const auto& [metric, scores] : columns) {
    object[metric.key()] = {
        {"name", metric.name()}, {"signature", eval::signature(metric, references)}, {"scores", scores}};
  }
  return object.dump(2) + "\n";
}

}  // namespace dragoman::cli
