// The line that says how a long task stands: kept up to date in place on a terminal, now and then a plain line in a
// log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "dragoman/train/report/metrics.h"

namespace dragoman::cli {

// Where progress is shown, and the clock that it goes by.
struct Outlet {
  bool terminal = false;         // one line, redrawn in place
  bool colour = false;           // only ever true of a terminal
  std::function<int()> columns;  // the terminal's width now: it may change
  std::function<void(std::string_view)> write;
  std::function<double()> seconds;  // monotonic
};

// Standard error: a terminal unless it is redirected or TERM is "dumb"; in colour unless NO_COLOR is set.
Outlet standard_error();

struct Status {
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: nobody knows
  std::string text = {};
};

struct ProgressOptions {
  std::int64_t first = 0;         // what was done before this session: it does not count for the rate
  std::string unit = {};          // "pairs": the line counts them and their rate; empty: the text says it all
  double seconds_between = 10;    // in a log: time between lines
  std::int64_t done_between = 0;  // in a log: lines also whenever so much more is done; 0: by time alone
};

// One task's progress. The last status shown stays on the screen, or in the log, once the task is over.
class ProgressLine {
 public:
  explicit ProgressLine(ProgressOptions options = {}, Outlet outlet = standard_error());
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Call it as often as you like: a terminal is redrawn ten times a second at most.
  void show(const Status& status);
  // A whole line of its own, above the progress.
  void say(std::string_view line);
  // Shows the last status once more and ends the line. Nothing more is shown until the next show().
  void finish();

 private:
  void draw();
  bool is_due(double now) const;
  std::string time_left() const;
  std::string counts() const;

  ProgressOptions options_;
  Outlet outlet_;
  double start_;
  Status status_;
  bool pending_ = false;    // a status that was not drawn yet
  bool line_open_ = false;  // the terminal's cursor stands in our line
  double drawn_at_;
  std::int64_t drawn_done_ = -1;
};

// "epoch 3  step 1,200/2,000  loss 3.412  ppl 12.3  rate 7.0e-4  11,204 tok/s"; `steps` is left out where it is 0.
std::string training_line(const train::Progress& progress, std::int64_t steps = 0);

}  // namespace dragoman::cli
