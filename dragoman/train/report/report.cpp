#include "dragoman/train/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "dragoman/base/strings.h"
#include "dragoman/train/report/chart.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/samples.h"

namespace dragoman::train {

// report.css and report.js, compiled in (cmake/embed.cmake).
std::string_view report_style();
std::string_view report_script();

namespace {

constexpr std::size_t kMaxRows = 60;

// The curve of one field of the records over the steps.
template <class Record, class Field>
Series series_of(std::string name, const std::vector<Record>& records, Field field) {
  Series series{std::move(name), {}};
  for (const Record& record : records) series.points.push_back({static_cast<double>(record.step), field(record)});
  return series;
}

double nll_of(const Validation& record) { return record.scores["nll"]; }
double perplexity(const Validation& record) { return std::exp(nll_of(record)); }
double bleu_of(const Validation& record) { return record.scores["bleu"]; }

// The names of all figures of the records, except the usual ones.
template <class Record>
std::vector<std::string> other_names(const std::vector<Record>& records, Figures Record::*figures,
                                     std::initializer_list<std::string_view> usual) {
  std::vector<std::string> names;
  for (const Record& record : records) {
    for (const auto& [name, value] : record.*figures) {
      if (std::ranges::find(usual, name) == usual.end() && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

bool has_nominal_flops(const TrainingRecords& metrics) {
  return !metrics.progress.empty() && metrics.progress.back().nominal_flops > 0;
}

// The cost of training, counted in two ways: by the model's operations, and by the machine's time.
Chart cost_chart(const TrainingRecords& metrics) {
  Chart chart{.title = "Training cost",
              .unit = "floating-point operations so far",
              .from_zero = true,
              .series = {series_of("by the model", metrics.progress, [](const ProgressRecord& p) { return p.flops; })}};
  if (!has_nominal_flops(metrics)) return chart;
  chart.series.push_back(
      series_of("by the machine", metrics.progress, [](const ProgressRecord& p) { return p.nominal_flops; }));
  // If the curves are far apart, a linear scale would draw the smaller one on the axis.
  constexpr double kFarApart = 10;
  const double ratio = metrics.progress.back().flops / metrics.progress.back().nominal_flops;
  const bool far_apart = ratio > kFarApart || ratio < 1 / kFarApart;
  chart.scale = far_apart ? Scale::kLog : Scale::kLinear;
  chart.from_zero = !far_apart;
  return chart;
}

// Explains the two costs, and compares them with those of the paper.
std::string cost_note(const TrainingRecords& metrics) {
  std::string note = "Training cost by the model counts 6 operations for each multiply-add of its matrix products.";
  if (has_nominal_flops(metrics)) {
    const double share = metrics.progress.back().flops / metrics.progress.back().nominal_flops;
    note += fmt::format(
        " By the machine it is the time spent × the machine's rate, as in Table 2; the model's count is {}\u00a0% of "
        "it.",
        number_text(100 * share, 2));
  }
  note += " The paper's Table 2 gives 3.3e18 for the base model and 2.3e19 for the big one.";
  return "<p class=\"note\">" + escaped(note) + "</p>\n";
}

// The loss that training minimises, which includes label smoothing, and the losses without it, which can be compared
// with each other. Without label smoothing the two of training are the same, and one is drawn.
Chart loss_chart(const TrainingRecords& metrics) {
  const auto smoothed = [](const ProgressRecord& p) { return p.losses["loss"]; };
  const auto plain = [](const ProgressRecord& p) { return p.losses["nll"]; };
  Chart chart{.title = "Loss", .unit = "nats per target token", .scale = Scale::kLog, .series = {}};
  if (std::ranges::any_of(metrics.progress, [&](const ProgressRecord& p) { return smoothed(p) != plain(p); })) {
    chart.series.push_back(series_of("training, with label smoothing", metrics.progress, smoothed));
  }
  chart.series.push_back(series_of("training", metrics.progress, plain));
  chart.series.push_back(series_of("validation", metrics.validations, nll_of));
  return chart;
}

std::int64_t last_step(const TrainingRecords& metrics) {
  return std::max(metrics.progress.empty() ? 0 : metrics.progress.back().step,
                  metrics.validations.empty() ? 0 : metrics.validations.back().step);
}

std::string charts(const TrainingRecords& metrics) {
  const auto& [progress, validations] = metrics;
  const auto figure = [steps = last_step(metrics)](Chart chart) {
    chart.steps = steps;
    return chart_figure(chart);
  };
  std::string html = "<section class=\"charts\">\n<h2>Curves</h2>\n";
  html += figure(loss_chart(metrics));
  for (const std::string& name : other_names(progress, &ProgressRecord::losses, {"loss", "nll"})) {
    html += figure({.title = "Loss: " + name,
                    .unit = "mean in training, per target token",
                    .series = {series_of(name, progress, [&](const ProgressRecord& p) { return p.losses[name]; })}});
  }
  html += figure({.title = "Perplexity",
                  .unit = "on the validation set",
                  .scale = Scale::kLog,
                  .series = {series_of("perplexity", validations, perplexity)}});
  html += figure({.title = "BLEU",
                  .unit = "on the validation set",
                  .from_zero = true,
                  .series = {series_of("BLEU", validations, bleu_of)}});
  for (const std::string& name : other_names(validations, &Validation::scores, {"nll", "bleu"})) {
    html += figure({.title = name,
                    .unit = "on the validation set",
                    .series = {series_of(name, validations, [&](const Validation& v) { return v.scores[name]; })}});
  }
  html += figure({.title = "Learning rate",
                  .unit = "step size of the optimiser",
                  .from_zero = true,
                  .series = {series_of("rate", progress, [](const ProgressRecord& p) { return p.rate; })}});
  html += figure(
      {.title = "Throughput",
       .unit = "target tokens per second",
       .from_zero = true,
       .series = {series_of("tokens/s", progress, [](const ProgressRecord& p) { return p.tokens_per_second; })}});
  html += figure(cost_chart(metrics));
  return html + cost_note(metrics) + "</section>\n";
}

// 12,120,000 -> "12.1 M", because a tile is narrow.
std::string amount_text(std::int64_t count) {
  const double value = static_cast<double>(count);
  if (value >= 1e9) return number_text(value / 1e9) + " G";
  return value >= 1e6 ? number_text(value / 1e6) + " M" : with_thousands(count);
}

std::string tile(std::string_view name, const std::string& value, const std::string& detail = "") {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", name, value, detail);
}

// The most important figures, as tiles.
std::string summary(const TrainingRecords& metrics) {
  std::string html = "<section>\n<h2>Summary</h2>\n<dl class=\"tiles\">\n";
  const auto at_step = [](const Validation& best) { return "at step " + with_thousands(best.step); };
  const auto best = std::ranges::min_element(metrics.validations, {}, [](const Validation& v) {
    return std::isfinite(nll_of(v)) ? nll_of(v) : std::numeric_limits<double>::infinity();
  });
  if (best != metrics.validations.end()) {
    html += tile("Best perplexity", number_text(perplexity(*best)), at_step(*best));
  }
  const auto highest = std::ranges::max_element(
      metrics.validations, {}, [](const Validation& v) { return v.scores.has("bleu") ? bleu_of(v) : -1; });
  if (highest != metrics.validations.end() && highest->scores.has("bleu")) {
    html += tile("Best BLEU", fmt::format("{:.1f}", bleu_of(*highest)), at_step(*highest));
  }
  if (metrics.progress.empty()) return html + tile("Steps", "0", "nothing recorded yet") + "</dl>\n</section>\n";

  const ProgressRecord& last = metrics.progress.back();
  html += tile("Steps", with_thousands(last.step), "in epoch " + with_thousands(last.epoch));
  html += tile("Loss", number_text(last.losses["loss"]),
               "in training; perplexity " + number_text(std::exp(last.losses["nll"])));
  html += tile("Time spent", std::isfinite(last.seconds) ? duration_text(last.seconds) : "–", "training");
  html += tile("Target tokens", amount_text(last.target_tokens),
               number_text(static_cast<double>(last.target_tokens) / last.seconds) + " per second");
  html += tile("Training FLOPs", number_text(last.flops),
               has_nominal_flops(metrics) ? number_text(last.nominal_flops) + " by the machine" : "");
  return html + "</dl>\n</section>\n";
}

// At most `most` of the records, evenly spread. The last one is always among them.
template <class Record>
std::vector<const Record*> spread(const std::vector<Record>& records, std::size_t most) {
  std::vector<const Record*> chosen;
  const std::size_t count = std::min(most, records.size());
  for (std::size_t i = 1; i <= count; ++i) chosen.push_back(&records[i * records.size() / count - 1]);
  return chosen;
}

std::string folded_table(std::string_view title, std::initializer_list<std::string_view> columns,
                         const std::string& rows) {
  if (rows.empty()) return "";
  std::string head;
  for (const std::string_view column : columns) head += fmt::format("<th scope=\"col\">{}</th>", column);
  return fmt::format(
      "<details>\n<summary>{}</summary>\n<div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n"
      "<tbody>\n{}</tbody>\n</table></div>\n</details>\n",
      title, head, rows);
}

std::string row(std::initializer_list<std::string> cells, bool marked = false) {
  std::string html = marked ? "<tr class=\"best\">" : "<tr>";
  for (const std::string& cell : cells) html += "<td>" + cell + "</td>";
  return html + "</tr>\n";
}

// The curves as tables, for screen readers.
std::string number_tables(const TrainingRecords& metrics) {
  std::string validations, progress;
  for (const Validation* record : spread(metrics.validations, kMaxRows)) {
    validations += row(
        {with_thousands(record->step), number_text(nll_of(*record), 4), number_text(perplexity(*record)),
         record->scores.has("bleu") ? fmt::format("{:.1f}", bleu_of(*record)) : "–", record->best ? "best so far" : ""},
        record->best);
  }
  for (const ProgressRecord* record : spread(metrics.progress, kMaxRows)) {
    progress += row({with_thousands(record->step), with_thousands(record->epoch),
                     number_text(record->losses["loss"], 4), number_text(std::exp(record->losses["nll"])),
                     number_text(record->rate), record->gradient_norm ? number_text(*record->gradient_norm) : "–",
                     number_text(record->tokens_per_second), number_text(record->flops)});
  }
  return folded_table("Validations as a table", {"Step", "Loss", "Perplexity", "BLEU", ""}, validations) +
         folded_table("Training as a table",
                      {"Step", "Epoch", "Loss", "Perplexity", "Learning rate", "Gradient norm", "Tokens/s", "FLOPs"},
                      progress);
}

std::string header(const ReportFacts& facts) {
  std::string html = fmt::format("<header>\n<h1>{}</h1>\n", escaped(facts.title));
  const std::string parameters =
      facts.parameters > 0 ? with_thousands(facts.parameters) + " parameters" : std::string();
  for (const std::string& line : {facts.languages, facts.model, parameters, facts.machine}) {
    if (!line.empty()) html += "<p>" + escaped(line) + "</p>\n";
  }
  return html + "</header>\n";
}

std::string settings_table(const ReportFacts& facts) {
  std::string rows;
  for (const auto& [key, value] : facts.settings) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(key), escaped(value));
  }
  return folded_table("Settings", {"Setting", "Value"}, rows);
}

}  // namespace

std::string report_html(const TrainingRecords& metrics, const ReportFacts& facts) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      escaped(facts.title), report_style());
  html += header(facts) + "<main>\n" + summary(metrics) + charts(metrics) + sample_section(metrics.validations);
  const std::string tables = number_tables(metrics) + settings_table(facts);
  if (!tables.empty()) html += "<section>\n<h2>Numbers</h2>\n" + tables + "</section>\n";
  return html + fmt::format("</main>\n<script>\n{}</script>\n</body>\n</html>\n", report_script());
}

}  // namespace dragoman::train
