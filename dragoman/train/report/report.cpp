#include "dragoman/train/report/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string_view>

#include "dragoman/base/strings.h"
#include "dragoman/train/report/chart.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/parts.h"
#include "dragoman/train/report/samples.h"

namespace dragoman::train {

namespace {

constexpr std::size_t kMaxRows = 60;

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

std::string charts(const TrainingRecords& metrics) {
  const auto& [progress, validations] = metrics;
  const auto figure = [steps = last_step(metrics)](Chart chart) {
    chart.steps = steps;
    return chart_figure(chart);
  };
  std::string html = "<section class=\"charts\">\n<h2>Curves</h2>\n";
  html += figure(loss_chart(metrics));
  std::vector<std::string> losses, scores;
  add_other_names(losses, progress);
  add_other_names(scores, validations);
  for (const std::string& name : losses) {
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
  for (const std::string& name : scores) {
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

// The perplexity is that of the loss without label smoothing.
std::string training_perplexity(const ProgressRecord& record) {
  const double nll = record.losses["nll"];
  return (record.losses["loss"] == nll ? "perplexity " : "without label smoothing perplexity ") +
         number_text(std::exp(nll));
}

// The most important figures, as tiles.
std::string summary(const TrainingRecords& metrics) {
  std::string html = "<section>\n<h2>Summary</h2>\n<dl class=\"tiles\">\n";
  const auto at_step = [](const Validation& best) { return "at step " + with_thousands(best.step); };
  if (const Validation* best = lowest_perplexity(metrics)) {
    html += tile("Best perplexity", number_text(perplexity(*best)), at_step(*best));
  }
  if (const Validation* best = highest_bleu(metrics)) {
    html += tile("Best BLEU", fmt::format("{:.1f}", bleu_of(*best)), at_step(*best));
  }
  if (metrics.progress.empty()) return html + tile("Steps", "0", "nothing recorded yet") + "</dl>\n</section>\n";

  const ProgressRecord& last = metrics.progress.back();
  html += tile("Steps", with_thousands(last.step), "in epoch " + with_thousands(last.epoch));
  html += tile("Loss", number_text(last.losses["loss"]), "in training; " + training_perplexity(last));
  html += tile("Time spent", std::isfinite(last.seconds) ? duration_text(last.seconds) : "–",
               last.seconds < 3600 ? "minutes of training" : "hours of training");
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
  const std::vector<std::string> scores{"Step", "Loss", "Perplexity", "BLEU", ""};
  const std::vector<std::string> columns{"Step",          "Epoch",         "Loss",     "Perplexity",
                                         "Learning rate", "Gradient norm", "Tokens/s", "FLOPs"};
  return folded_table("Validations as a table", scores, validations) +
         folded_table("Training as a table", columns, progress);
}

// The script reads the attributes; without it the page says when it was written.
std::string status_line(const RunStatus& status) {
  if (status.text.empty()) return "";
  const std::string attributes = status.is_running ? fmt::format(" data-written=\"{:.3f}\" data-seconds=\"{:.3f}\"",
                                                                 status.written, status.seconds_until)
                                                   : "";
  const auto written = static_cast<std::time_t>(status.written);
  const std::string news =
      status.is_running
          ? fmt::format(" <span id=\"news\">Written at {:%Y-%m-%d %H:%M:%S} UTC.</span>", fmt::gmtime(written))
          : "";
  return fmt::format("<div id=\"status\" class=\"{}\"{}><b>{}</b>{}</div>\n", status.is_running ? "running" : "ended",
                     attributes, escaped(status.text), news);
}

std::string header(const ReportFacts& facts) {
  std::string html = fmt::format("<header>\n<h1>{}</h1>\n", escaped(facts.title));
  const std::string parameters =
      facts.parameters > 0 ? with_thousands(facts.parameters) + " parameters" : std::string();
  for (const std::string& line : {facts.languages, facts.model, parameters, facts.machine}) {
    if (!line.empty()) html += "<p>" + escaped(line) + "</p>\n";
  }
  return html + status_line(facts.status) + "</header>\n";
}

std::string settings_table(const ReportFacts& facts) {
  std::string rows;
  for (const auto& [key, value] : facts.settings) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(key), escaped(value));
  }
  return folded_table("Settings", std::vector<std::string>{"Setting", "Value"}, rows);
}

}  // namespace

std::string report_html(const TrainingRecords& metrics, const ReportFacts& facts) {
  std::string html =
      header(facts) + "<main>\n" + summary(metrics) + charts(metrics) + sample_section(metrics.validations);
  const std::string tables = number_tables(metrics) + settings_table(facts);
  if (!tables.empty()) html += "<section>\n<h2>Numbers</h2>\n" + tables + "</section>\n";
  return whole_page(facts.title, html + "</main>\n");
}

}  // namespace dragoman::train
