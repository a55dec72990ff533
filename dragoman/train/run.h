// A training run from text to model directory. It saves checkpoints as it goes and resumes from them by itself; the
// result has the same bits whether the run was interrupted or not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "dragoman/exchange/exchange.h"
#include "dragoman/train/report/metrics.h"
#include "dragoman/train/run_state.h"
#include "dragoman/train/settings.h"

namespace dragoman::train {

// Is informed about a training run, and may stop it. All functions are called from the thread that trains.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void say(const std::string& sentence) = 0;     // a message for the user
  virtual void tokenised_pairs(std::int64_t pairs) = 0;  // the number of pairs that have been tokenised so far
  // Called after each update, with the means since the last record of metrics.jsonl and the step at which training
  // ends.
  virtual void updated(const ProgressRecord& progress, std::int64_t steps) = 0;
  virtual void validated(const Validation& validation) = 0;
  // Called when the run is prepared, and after each update. Before the first call there is nothing to save, so a run
  // may be stopped by ending the program.
  virtual bool wants_stop() = 0;
};

enum class Ending : std::uint8_t { kAllSteps, kMinutes, kPatience, kStopped };

struct RunRequest {
  std::filesystem::path directory;  // of the model; created if it does not exist
  std::filesystem::path init;       // start from the weights of this model; random weights if empty
  TrainingSettings settings;
  bool allow_changes = false;  // resume even if the settings differ from those of the checkpoint
};

// How long training waited for the checkpoints of a session, without the one at its end.
struct SavingTimes {
  std::int64_t checkpoints = 0;
  double seconds = 0, longest = 0;  // of all together, and of one

  void add(double wait) {
    ++checkpoints;
    seconds += wait;
    longest = std::max(longest, wait);
  }
};

struct RunResult {
  Ending ending = Ending::kAllSteps;
  std::int64_t step = 0;
  std::int64_t first_step = 0;  // the step that the run began or resumed with; equal to `step` if nothing was trained
  std::optional<Best> best;
  double seconds = 0;   // spent training, over all sessions
  std::string weights;  // which weights the model has, as publish_weights() says; empty if there is no model yet
  SavingTimes saving;
};

RunResult run_training(const RunRequest& request, Watcher& watcher);
// The same with several processes, the ranks of the exchange, which all call this with the same settings. Rank 0
// prepares the text, decides when the run ends, and writes all files; only its watcher hears what happens. The result
// has the same bits for any number of ranks. Throws a UsageError if so many cannot divide an update.
RunResult run_training(const RunRequest& request, Watcher& watcher, exchange::Exchange& exchange);

// The state of the newest intact checkpoint of the directory, from which a run would resume; nothing if there are no
// checkpoints. Damaged checkpoints are skipped and reported to `damaged`. Throws an Error if all are damaged, if one
// cannot be read, or if another version of the program wrote one.
std::optional<RunState> resumable_state(const std::filesystem::path& directory,
                                        const std::function<void(const std::string&)>& damaged);

}  // namespace dragoman::train
