#include "dragoman/train/run.h"

#include <filesystem>

#include "dragoman/base/files.h"
#include "dragoman/exchange/alone.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/rank_rounds.h"
#include "dragoman/train/training_loop.h"

namespace dragoman::train {

namespace {

// What to do if all checkpoints are damaged. The model of the run is a file of its own.
std::string advice_without_checkpoint(const std::filesystem::path& directory) {
  const std::string name = directory.string();
  return std::filesystem::exists(status_of(model::weights_file(directory)))
             ? join(" No other checkpoint is left in '", name,
                    "', so the run cannot be resumed; start a new one from its model with --init ", name,
                    " and another --model.")
             : join(" No other checkpoint is left in '", name, "'; remove the directory to start again.");
}

}  // namespace

RunResult run_training(const RunRequest& request, Watcher& watcher) {
  exchange::Alone alone;
  return run_training(request, watcher, alone);
}

RunResult run_training(const RunRequest& request, Watcher& watcher, exchange::Exchange& exchange) {
  PreparedRun run(request, watcher, exchange);
  exchange.limit_waits(run.settings().machine.exchange_timeout);  // preparing a text may take hours
  return exchange.leads() ? TrainingLoop(run).run() : follow(run);
}

std::optional<RunState> resumable_state(const std::filesystem::path& directory,
                                        const std::function<void(const std::string&)>& damaged) {
  const std::vector<Checkpoint> checkpoints = list_checkpoints(directory);
  std::string last_problem;
  for (auto at = checkpoints.rbegin(); at != checkpoints.rend(); ++at) {
    try {
      return read_run_state(*at);
    } catch (const DamagedFile& error) {
      last_problem = error.what();
      damaged(join(last_problem, " The run resumes from the checkpoint before it, if there is one."));
    }
  }
  if (!checkpoints.empty()) throw Error(last_problem + advice_without_checkpoint(directory));
  return std::nullopt;
}

}  // namespace dragoman::train
