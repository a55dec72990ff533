// The report.html of a run, written again and again while the run is under way: often enough to follow it, and so
// rarely that writing takes no time worth mentioning. With --csv also metrics.csv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dragoman/train/prepared_run.h"
#include "dragoman/train/report/report.h"
#include "dragoman/train/run.h"

namespace dragoman::train {

class LiveReport {
 public:
  explicit LiveReport(const PreparedRun& run) : run_(run) {}

  // Takes note of an update or a validation: no page can be written meanwhile, so readers have to wait as long.
  void add_pause(double seconds);
  // Whether it is time for a new page.
  bool is_due() const;

  // Where the run stands: after this step, and ended or failed if there is an ending or a failure.
  struct Stage {
    std::int64_t step = 0;
    std::optional<Ending> ending = {};
    std::string failure = {};
  };
  // Writes the files, each whole or not at all.
  void write(const Stage& stage);

 private:
  RunStatus status(const Stage& stage) const;

  const PreparedRun& run_;
  double written_ = 0;  // when the page was last written, on a clock of its own
  double cost_ = 0;     // seconds that this took
  double pause_ = 0;    // the longest so far, in seconds
};

}  // namespace dragoman::train
