#include "dragoman/train/run.h"

#include "dragoman/base/files.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/training_loop.h"

namespace dragoman::train {

RunResult run_training(const RunRequest& request, Watcher& watcher) {
  PreparedRun run(request, watcher);
  return TrainingLoop(run).run();
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
  require<Error>(checkpoints.empty(), last_problem, " No other checkpoint is left in '", directory.string(),
                 "'; remove the directory to start again.");
  return std::nullopt;
}

}  // namespace dragoman::train
