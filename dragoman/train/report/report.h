// `report.html`: a training run as one self-contained page of curves and tables. It loads nothing from the network, is
// readable on a phone, in light and dark mode and without JavaScript, and stays below 1 MB however long the run is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

// Where a run stands, for the page of a run that is under way. Such a page loads itself again until it finds one that
// is not running.
struct RunStatus {
  std::string text = {};  // "Training: step 1,200 of 10,000."; empty for a page that says nothing of it
  bool is_running = false;
  double written = 0;        // when the page was written, as Unix time in seconds
  double seconds_until = 0;  // until the next page is written, about
};

// What the page shows in addition to the curves. Empty texts are left out.
struct ReportFacts {
  std::string title = {};                                          // "en-de, base"
  std::string model = {};                                          // "base: 6 + 6 layers of width 512, 8 heads"
  std::string languages = {};                                      // "English to German"
  std::int64_t parameters = 0;                                     // 0 if unknown; then left out
  std::string machine = {};                                        // "16 cores, CPU, float32"
  std::vector<std::pair<std::string, std::string>> settings = {};  // by key, in the order to show
  RunStatus status = {};
};

// The whole page; write it with replace_file(). Everything in metrics and facts is escaped.
std::string report_html(const TrainingRecords& metrics, const ReportFacts& facts);

}  // namespace dragoman::train
