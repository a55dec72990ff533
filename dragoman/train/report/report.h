// `report.html`: a training run as one self-contained page of curves and tables. It loads nothing from the network, is
// readable on a phone, in light and dark mode and without JavaScript, and stays below 1 MB however long the run is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

// What the page shows in addition to the curves. Empty texts are left out.
struct ReportFacts {
  std::string title = {};                                          // "en-de, base"
  std::string model = {};                                          // "base: 6 + 6 layers of width 512, 8 heads"
  std::string languages = {};                                      // "English to German"
  std::int64_t parameters = 0;                                     // 0 if unknown; then left out
  std::string machine = {};                                        // "16 cores, CPU, float32"
  std::vector<std::pair<std::string, std::string>> settings = {};  // by key, in the order to show
};

// The whole page; write it with replace_file(). Everything in metrics and facts is escaped.
std::string report_html(const TrainingRecords& metrics, const ReportFacts& facts);

}  // namespace dragoman::train
