// A line that shows the progress of a long task. On a terminal it is updated in place; in a log it is a plain line from
// time to time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/train/report/metrics.h"

namespace dragoman::cli {

// Where progress is shown, and the clock that it uses.
struct ProgressOutput {
  bool terminal = false;         // if true, one line is redrawn in place; else it is a log
  bool colour = false;           // only for a terminal
  std::function<int()> columns;  // the width of the terminal, which may change
  std::function<void(std::string_view)> write;
  std::function<double()> seconds;  // monotonic
};

// Standard error. It counts as a terminal unless it is redirected or TERM is "dumb"; it has colour unless NO_COLOR is
// set.
ProgressOutput standard_error();

struct Status {
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0 if unknown
  std::string text = {};
  std::optional<double> seconds_left = {};  // by default, as the mean speed of this session says
};

struct ProgressOptions {
  std::int64_t first = 0;  // what was done before this session; it does not count for the rate
  std::string unit = {};   // such as "pairs": the line then also shows count and rate. Empty to show the text alone
  double seconds_between = 10;    // time between two lines of a log
  std::int64_t done_between = 0;  // a log also gets a line whenever this much more is done; 0 to go by time only
};

// The progress of one task. When the task is over, the last status stays on the screen or in the log.
class ProgressLine {
 public:
  explicit ProgressLine(ProgressOptions options = {}, ProgressOutput output = standard_error());
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // May be called as often as you like: a terminal is redrawn at most ten times a second.
  void show(const Status& status);
  // Prints a whole line above the progress.
  void say(std::string_view line);
  // Shows the last status if it was not drawn yet, and ends the line. Nothing more is shown until the next show().
  void finish();

 private:
  void draw();
  bool is_due(double now) const;
  std::string time_left() const;
  std::string counts() const;

  ProgressOptions options_;
  ProgressOutput output_;
  double start_;
  Status status_;
  bool pending_ = false;    // a status was not drawn yet
  bool line_open_ = false;  // the cursor of the terminal is in our line
  double drawn_at_;
  std::int64_t drawn_done_ = -1;
};

// "epoch 3  step 1,200/2,000  loss 3.412  ppl 12.3  rate 7.0e-4  11,204 tok/s"; without "/2,000" if `steps` is 0. With
// several ranks it ends with the slowest and the fastest: "(2 ranks: 5,900 to 6,000)".
std::string training_line(const train::ProgressRecord& progress, std::int64_t steps = 0);

}  // namespace dragoman::cli
