#include "dragoman/study/ablate/estimate.h"

#include <algorithm>
#include <map>

namespace dragoman::study::ablate {
namespace {

// Seconds and the steps that took them.
struct Speed {
  double seconds = 0, steps = 0, cost = 0;

  void add(const RunState& run) {
    seconds += run.seconds;
    steps += static_cast<double>(run.done);
    cost += static_cast<double>(run.done) * run.cost;
  }
};

// The mean over the runs that have been evaluated.
double evaluation_time(std::span<const RunState> runs) {
  double seconds = 0, count = 0;
  for (const RunState& run : runs) {
    if (run.evaluation_seconds <= 0) continue;
    seconds += run.evaluation_seconds;
    ++count;
  }
  return count > 0 ? seconds / count : 0;
}

}  // namespace

double share_done(std::span<const RunState> runs) {
  double done = 0, all = 0;
  for (const RunState& run : runs) {
    const double work = run.cost * static_cast<double>(run.steps);
    const double by_steps = run.steps > 0 ? static_cast<double>(run.done) / static_cast<double>(run.steps) : 0;
    const double by_time = run.minutes > 0 ? run.seconds / (60 * run.minutes) : 0;
    done += work * (run.is_over ? 1 : std::min(1.0, std::max(by_steps, by_time)));
    all += work;
  }
  return all > 0 ? done / all : 1;
}

std::optional<double> seconds_left(std::span<const RunState> runs, int jobs) {
  Speed overall;
  std::map<std::string, Speed> by_row;
  for (const RunState& run : runs) {
    overall.add(run);
    by_row[run.row].add(run);
  }
  if (overall.cost <= 0 || overall.seconds <= 0) return std::nullopt;
  const double for_evaluation = evaluation_time(runs);
  double sum = 0, longest = 0;
  for (const RunState& run : runs) {
    if (run.is_over) continue;
    const Speed& row = by_row[run.row];
    const double step = row.steps > 0 ? row.seconds / row.steps : run.cost * overall.seconds / overall.cost;
    double left = step * static_cast<double>(run.steps - run.done);
    if (run.minutes > 0) left = std::min(left, std::max(0.0, 60 * run.minutes - run.seconds));
    sum += left + for_evaluation;
    longest = std::max(longest, left + for_evaluation);
  }
  return std::max(longest, sum / jobs);
}

}  // namespace dragoman::study::ablate
