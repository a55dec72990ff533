#include "dragoman/train/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include "dragoman/base/strings.h"
#include "dragoman/train/report/chart.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/parts.h"
#include "dragoman/train/report/samples.h"

namespace dragoman::train {
namespace {

using Runs = std::vector<ReportedRun>;

constexpr std::size_t kMaxRunPoints = 240;  // of a curve, so that eight runs stay below a megabyte

// A chart with a curve of each run: `series` makes it from the records of the run.
template <class MakeSeries>
std::string runs_chart(const Runs& runs, Chart chart, const MakeSeries& series) {
  chart.max_points = kMaxRunPoints;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    chart.series.push_back(series(runs[i].metrics));
    chart.series.back().name = runs[i].name;
    chart.series.back().run = i;
    chart.steps = std::max(chart.steps, last_step(runs[i].metrics));
  }
  return chart_figure(chart);
}

std::string training_chart(const Runs& runs, Chart chart, double (*field)(const ProgressRecord&)) {
  return runs_chart(runs, std::move(chart),
                    [&](const TrainingRecords& metrics) { return series_of("", metrics.progress, field); });
}

std::string validation_chart(const Runs& runs, Chart chart, double (*field)(const Validation&)) {
  return runs_chart(runs, std::move(chart),
                    [&](const TrainingRecords& metrics) { return series_of("", metrics.validations, field); });
}

// Losses and scores that only some models have, by name.
std::string other_charts(const Runs& runs) {
  std::vector<std::string> losses, scores;
  for (const ReportedRun& run : runs) {
    add_other_names(losses, run.metrics.progress);
    add_other_names(scores, run.metrics.validations);
  }
  std::string html;
  for (const std::string& name : losses) {
    html +=
        runs_chart(runs, {.title = "Loss: " + name, .unit = "mean in training, per target token", .series = {}},
                   [&](const TrainingRecords& metrics) {
                     return series_of("", metrics.progress, [&](const ProgressRecord& p) { return p.losses[name]; });
                   });
  }
  for (const std::string& name : scores) {
    html += runs_chart(runs, {.title = name, .unit = "on the validation set", .series = {}},
                       [&](const TrainingRecords& metrics) {
                         return series_of("", metrics.validations, [&](const Validation& v) { return v.scores[name]; });
                       });
  }
  return html;
}

std::string comparison_charts(const Runs& runs) {
  std::string html = "<section class=\"charts\">\n<h2>Curves</h2>\n";
  html += validation_chart(runs, {.title = "BLEU", .unit = "on the validation set", .from_zero = true, .series = {}},
                           bleu_of);
  html += validation_chart(
      runs, {.title = "Perplexity", .unit = "on the validation set", .scale = Scale::kLog, .series = {}}, perplexity);
  html += training_chart(
      runs, {.title = "Training loss", .unit = "nats per target token, plain", .scale = Scale::kLog, .series = {}},
      [](const ProgressRecord& p) { return p.losses["nll"]; });
  html += other_charts(runs);
  html += training_chart(
      runs, {.title = "Learning rate", .unit = "step size of the optimiser", .from_zero = true, .series = {}},
      [](const ProgressRecord& p) { return p.rate; });
  html +=
      training_chart(runs, {.title = "Throughput", .unit = "target tokens per second", .from_zero = true, .series = {}},
                     [](const ProgressRecord& p) { return p.tokens_per_second; });
  html += training_chart(runs, {.title = "Time", .unit = "minutes of training so far", .from_zero = true, .series = {}},
                         [](const ProgressRecord& p) { return p.seconds / 60; });
  return html + "</section>\n";
}

// A column of the table of runs. The best run in it is marked, unless all are as good.
struct RunColumn {
  std::string title;
  std::vector<std::string> texts = {};
  std::vector<double> values = {};  // higher is better; not finite if unknown
  bool ranked = true;

  void add(const std::string& text, double value) {
    texts.push_back(text);
    values.push_back(value);
  }
  bool is_best(std::size_t run) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    return ranked && low < high && values[run] == high;
  }
};

std::string at_step(const std::string& value, std::int64_t step) {
  return fmt::format("{} <small>at step {}</small>", value, with_thousands(step));
}

std::vector<RunColumn> run_columns(const Runs& runs) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<RunColumn> columns{{"Best BLEU"},  {"Best perplexity"}, {"Steps"},
                                 {"Time spent"}, {"Tokens/s"},        {"Parameters"}};
  for (RunColumn& column : columns) column.ranked = column.title.starts_with("Best") || column.title == "Tokens/s";
  for (const ReportedRun& run : runs) {
    const TrainingRecords& metrics = run.metrics;
    const Validation *bleu = highest_bleu(metrics), *lowest = lowest_perplexity(metrics);
    columns[0].add(bleu ? at_step(fmt::format("{:.1f}", bleu_of(*bleu)), bleu->step) : "–",
                   bleu ? bleu_of(*bleu) : kUnknown);
    columns[1].add(lowest ? at_step(number_text(perplexity(*lowest)), lowest->step) : "–",
                   lowest ? -perplexity(*lowest) : kUnknown);
    columns[2].add(with_thousands(last_step(metrics)), kUnknown);
    const double seconds = metrics.progress.empty() ? kUnknown : metrics.progress.back().seconds;
    columns[3].add(std::isfinite(seconds) ? duration_text(seconds) : "–", kUnknown);
    const double speed =
        metrics.progress.empty() ? kUnknown : static_cast<double>(metrics.progress.back().target_tokens) / seconds;
    columns[4].add(number_text(speed), speed);
    columns[5].add(run.facts.parameters > 0 ? with_thousands(run.facts.parameters) : "–", kUnknown);
  }
  return columns;
}

// The runs with their most important figures. The boxes show and hide their curves; report.css does that.
std::string runs_table(const Runs& runs) {
  const std::vector<RunColumn> columns = run_columns(runs);
  std::string html =
      "<section>\n<h2>Runs</h2>\n<div class=\"scroll card\"><table class=\"runs\">\n<thead><tr>"
      "<th scope=\"col\">Run</th>";
  for (const RunColumn& column : columns) html += fmt::format("<th scope=\"col\">{}</th>", column.title);
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    html += fmt::format(
        "<tr><th scope=\"row\"><label class=\"r{0}\"><input type=\"checkbox\" id=\"run-{0}\" checked> {1}</label></th>",
        i, escaped(runs[i].name));
    for (const RunColumn& column : columns) {
      html += fmt::format("<td{}>{}</td>", column.is_best(i) ? " class=\"leads\"" : "", column.texts[i]);
    }
    html += "</tr>\n";
  }
  return html +
         "</tbody>\n</table></div>\n"
         "<p class=\"hint\">Untick a run to take its curves out of the pictures. The best figure of a column is "
         "marked; "
         "BLEU and perplexity can be compared only if the runs have the same validation text, perplexity only if they "
         "also have the same vocabulary.</p>\n</section>\n";
}

std::optional<std::string> setting_of(const ReportFacts& facts, const std::string& key) {
  const auto found = std::ranges::find(facts.settings, key, &std::pair<std::string, std::string>::first);
  if (found == facts.settings.end()) return std::nullopt;
  return found->second;
}

// The keys of all runs, each where it first occurs.
std::vector<std::string> setting_keys(const Runs& runs) {
  std::vector<std::string> keys;
  for (const ReportedRun& run : runs) {
    for (const auto& [key, value] : run.facts.settings) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::string cell_text(const std::optional<std::string>& value) {
  if (!value) return "–";
  return value->empty() ? "<i>empty</i>" : escaped(*value);
}

std::string settings_section(const Runs& all) {
  Runs runs, unknown;
  for (const ReportedRun& run : all) (run.facts.settings.empty() ? unknown : runs).push_back(run);
  std::string html = "<section>\n<h2>Settings</h2>\n", rows;
  int alike = 0;
  for (const std::string& key : setting_keys(runs)) {
    const std::optional<std::string> first = setting_of(runs.front().facts, key);
    const bool differs =
        std::ranges::any_of(runs, [&](const ReportedRun& run) { return setting_of(run.facts, key) != first; });
    if (!differs) ++alike;
    if (!differs) continue;
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(key));
    for (const ReportedRun& run : runs) rows += "<td>" + cell_text(setting_of(run.facts, key)) + "</td>";
    rows += "</tr>\n";
  }
  std::vector<std::string> columns{"Setting"};
  for (const ReportedRun& run : runs) columns.push_back(escaped(run.name));
  html += folded_table("Settings that differ", columns, rows, true);
  if (rows.empty() && runs.size() > 1) html += "<p class=\"hint\">All settings of these runs are the same.</p>\n";
  if (!rows.empty()) {
    html += fmt::format("<p class=\"hint\">{} the same in all of them.</p>\n",
                        alike == 1 ? "One other setting is" : fmt::format("{} other settings are", alike));
  }
  for (const ReportedRun& run : unknown) {
    html +=
        fmt::format("<p class=\"hint\">The settings of {} are not known: it has no checkpoint that can be read.</p>\n",
                    escaped(run.name));
  }
  return html + "</section>\n";
}

std::string comparison_header(const Runs& runs) {
  std::string html = fmt::format("<header>\n<h1>{} training runs</h1>\n", runs.size());
  const auto about = [](const ReportedRun& run) {
    return run.facts.model.empty() ? run.facts.title : run.facts.title + ", " + run.facts.model;
  };
  if (std::ranges::all_of(runs, [&](const ReportedRun& run) { return about(run) == about(runs.front()); })) {
    return html + "<p>" + escaped(about(runs.front())) + "</p>\n</header>\n";
  }
  for (const ReportedRun& run : runs) {
    html += fmt::format("<p><b>{}</b>: {}</p>\n", escaped(run.name), escaped(about(run)));
  }
  return html + "</header>\n";
}

}  // namespace

std::string comparison_html(const std::vector<ReportedRun>& runs) {
  assert(!runs.empty() && runs.size() <= kMaxComparedRuns);
  if (runs.size() == 1) return report_html(runs.front().metrics, runs.front().facts);
  std::vector<NamedValidations> samples;
  for (const ReportedRun& run : runs) samples.push_back({run.name, &run.metrics.validations});
  std::string title;
  for (const ReportedRun& run : runs) title += (title.empty() ? "" : ", ") + run.name;
  return whole_page(title, comparison_header(runs) + "<main class=\"comparison\">\n" + runs_table(runs) +
                               comparison_charts(runs) + settings_section(runs) + sample_comparison(samples) +
                               "</main>\n");
}

}  // namespace dragoman::train
