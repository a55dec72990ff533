// What the report of one run and the report of several have in common: the frame of the page, tables, and what is read
// from the records.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/train/report/chart.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

// report.css, compiled in (cmake/embed.cmake).
std::string_view report_style();

// The whole page around its content, with style and script. The title is escaped.
std::string whole_page(const std::string& title, const std::string& content);

// A table that can be folded; nothing without rows. The columns are not escaped.
std::string folded_table(std::string_view title, std::span<const std::string> columns, const std::string& rows,
                         bool open = false);

double nll_of(const Validation& record);
double perplexity(const Validation& record);
double bleu_of(const Validation& record);

// The validations with the lowest perplexity and the highest BLEU; null if there is none.
const Validation* lowest_perplexity(const TrainingRecords& metrics);
const Validation* highest_bleu(const TrainingRecords& metrics);

std::int64_t last_step(const TrainingRecords& metrics);

// The curve of one field of the records over the steps.
template <class Record, class Field>
Series series_of(std::string name, const std::vector<Record>& records, Field field) {
  Series series{std::move(name), {}};
  for (const Record& record : records) series.points.push_back({static_cast<double>(record.step), field(record)});
  return series;
}

// Adds the names of the figures of the records to `names`, except the usual ones and those that are there already.
void add_other_names(std::vector<std::string>& names, const std::vector<ProgressRecord>& records);
void add_other_names(std::vector<std::string>& names, const std::vector<Validation>& records);

}  // namespace dragoman::train
