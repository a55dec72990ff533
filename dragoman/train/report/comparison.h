// Several training runs as one page: their curves in the same pictures, their best scores, and the settings in which
// they differ.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dragoman/train/report/report.h"

namespace dragoman::train {

inline constexpr std::size_t kMaxComparedRuns = 8;  // each has a colour of its own

struct ReportedRun {
  std::string name;  // different for each run of a page
  TrainingRecords metrics;
  ReportFacts facts;
};

// The page of report_html() for one run, otherwise a page that compares two to kMaxComparedRuns runs. Everything in
// the runs is escaped.
std::string comparison_html(const std::vector<ReportedRun>& runs);

}  // namespace dragoman::train
