// Trains and evaluates the runs of a table, several at a time, each as a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/study/ablate/files.h"
#include "dragoman/study/ablate/table.h"
#include "dragoman/train/settings.h"

namespace dragoman::study::ablate {

// A run that is under way.
struct RunProgress {
  std::string row;
  std::uint64_t seed = 0;
  std::int64_t step = 0, steps = 0;
  bool is_evaluated = false;  // it has been trained and is now evaluated
};

struct Progress {
  std::int64_t finished = 0, failed = 0, runs = 0;  // `runs` counts all
  std::vector<RunProgress> under_way = {};
  double share = 0;                         // of the work
  std::optional<double> seconds_left = {};  // nothing while it is unknown
};

// Is informed about the runs, and may stop them. All functions are called from the thread that started them.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void begin() = 0;  // the request has been checked, and the work begins
  virtual void say(const std::string& sentence) = 0;
  virtual void progressed(const Progress& progress) = 0;
  virtual bool wants_stop() = 0;  // first called when everything is prepared and the runs begin
};

// One run of the table.
struct Task {
  std::string row;
  std::uint64_t seed = 0;
  RunFiles files;
  train::TrainingSettings settings;
  double cost = 1;  // of a step, as in RunState
};

struct JobOptions {
  int jobs = 1;                                                // runs at a time
  std::string program;                                         // this program: it is called with `train` and `evaluate`
  TableFiles files;                                            // for the vocabulary and the validation text
  std::function<void(const std::vector<FailedRun>&)> changed;  // called when a run has finished or failed
};

struct JobsResult {
  std::vector<FailedRun> failed;
  bool is_stopped = false;
};

// Runs the tasks in their order. A finished run is not run again, and one that was interrupted goes on where it
// stopped. If a run fails, the others go on. A stop asks the processes to end and waits for them.
JobsResult run_tasks(const std::vector<Task>& tasks, const JobOptions& options, Watcher& watcher);

}  // namespace dragoman::study::ablate
