// A training run from text to model directory: resumes by itself, saves as it goes, and gives the same bits whether it
// was stopped or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "dragoman/train/report/metrics.h"
#include "dragoman/train/run_state.h"
#include "dragoman/train/settings.h"

namespace dragoman::train {

// Whoever looks on. Calls come from the thread that trains.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void say(const std::string& sentence) = 0;
  virtual void cut_pairs(std::int64_t pairs) = 0;  // of the corpus, so far
  // After each update: the means since the last record of metrics.jsonl, and the step at which training ends.
  virtual void updated(const Progress& progress, std::int64_t steps) = 0;
  virtual void validated(const Validation& validation) = 0;
  virtual bool wants_stop() = 0;  // asked after each update
};

enum class Ending : std::uint8_t { kAllSteps, kMinutes, kPatience, kStopped };

struct RunRequest {
  std::filesystem::path directory;  // of the model; made if it is not there
  std::filesystem::path init;       // start from the weights of this model; empty: from random ones
  Settings settings;
  bool allow_changes = false;  // resume although settings differ from those the run began with
};

struct RunResult {
  Ending ending = Ending::kAllSteps;
  std::int64_t step = 0;
  std::optional<Best> best;
  double seconds = 0;  // spent training, over all sessions
};

RunResult run_training(const RunRequest& request, Watcher& watcher);

// The newest whole checkpoint of the directory: what a run there would resume from. Damaged ones are told to `damaged`
// and passed over; if there are only such, an Error is thrown. So it is if one cannot be read, or if another version of
// the program wrote it.
std::optional<RunState> resumable_state(const std::filesystem::path& directory,
                                        const std::function<void(const std::string&)>& damaged);

}  // namespace dragoman::train
