// How much of a table is done, and how long the rest will take.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dragoman::study::ablate {

// What is known about one run.
struct RunState {
  std::string row;
  double cost = 1;         // of a step, in any unit that is the same for all rows
  std::int64_t steps = 0;  // of the whole run
  double minutes = 0;      // the run also ends after this time; 0 for no limit
  std::int64_t done = 0;   // steps so far
  double seconds = 0;      // spent on these steps
  double evaluation_seconds = 0;
  bool is_over = false;  // finished or failed
};

// The share of the work that is done, from 0 to 1.
double share_done(std::span<const RunState> runs);

// The seconds until all runs are over if `jobs` of them run at a time. A row that has been measured goes on at its own
// speed; others are taken to be slower in proportion to the cost of a step. Nothing if nothing has been measured.
std::optional<double> seconds_left(std::span<const RunState> runs, int jobs);

}  // namespace dragoman::study::ablate
