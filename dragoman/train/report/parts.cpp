#include "dragoman/train/report/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dragoman/train/report/html.h"

namespace dragoman::train {

std::string_view report_script();  // report.js, compiled in (cmake/embed.cmake)

namespace {

template <class Record>
void add_names(std::vector<std::string>& names, const std::vector<Record>& records, Figures Record::*figures,
               std::initializer_list<std::string_view> usual) {
  for (const Record& record : records) {
    for (const auto& [name, value] : record.*figures) {
      if (std::ranges::find(usual, name) == usual.end() && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
  }
}

}  // namespace

std::string whole_page(const std::string& title, const std::string& content) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n"
      "{}<script>\n{}</script>\n</body>\n</html>\n",
      escaped(title), report_style(), content, report_script());
}

std::string folded_table(std::string_view title, std::span<const std::string> columns, const std::string& rows,
                         bool open) {
  if (rows.empty()) return "";
  std::string head;
  for (const std::string& column : columns) head += fmt::format("<th scope=\"col\">{}</th>", column);
  return fmt::format(
      "<details{}>\n<summary>{}</summary>\n<div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n"
      "<tbody>\n{}</tbody>\n</table></div>\n</details>\n",
      open ? " open" : "", title, head, rows);
}

double nll_of(const Validation& record) { return record.scores["nll"]; }
double perplexity(const Validation& record) { return std::exp(nll_of(record)); }
double bleu_of(const Validation& record) { return record.scores["bleu"]; }

const Validation* lowest_perplexity(const TrainingRecords& metrics) {
  const auto best = std::ranges::min_element(metrics.validations, {}, [](const Validation& v) {
    return std::isfinite(nll_of(v)) ? nll_of(v) : std::numeric_limits<double>::infinity();
  });
  return best == metrics.validations.end() ? nullptr : &*best;
}

const Validation* highest_bleu(const TrainingRecords& metrics) {
  const auto best = std::ranges::max_element(
      metrics.validations, {}, [](const Validation& v) { return v.scores.has("bleu") ? bleu_of(v) : -1; });
  return best == metrics.validations.end() || !best->scores.has("bleu") ? nullptr : &*best;
}

std::int64_t last_step(const TrainingRecords& metrics) {
  return std::max(metrics.progress.empty() ? 0 : metrics.progress.back().step,
                  metrics.validations.empty() ? 0 : metrics.validations.back().step);
}

void add_other_names(std::vector<std::string>& names, const std::vector<ProgressRecord>& records) {
  add_names(names, records, &ProgressRecord::losses, {"loss", "nll"});
}

void add_other_names(std::vector<std::string>& names, const std::vector<Validation>& records) {
  add_names(names, records, &Validation::scores, {"nll", "bleu"});
}

}  // namespace dragoman::train
