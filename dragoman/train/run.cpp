#include "dragoman/train/run.h"

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/session.h"

namespace dragoman::train {

RunResult run_training(const RunRequest& request, Watcher& watcher) { return Session(request, watcher).run(); }

std::optional<RunState> resumable_state(const std::filesystem::path& directory,
                                        const std::function<void(const std::string&)>& damaged) {
  const std::vector<Checkpoint> checkpoints = list_checkpoints(directory);
  std::string last_problem;
  for (auto at = checkpoints.rbegin(); at != checkpoints.rend(); ++at) {
    const std::string where = "'" + at->path.string() + "'";
    try {
      RunState state = run_state_from_json(read_state(*at), where);
      require<Error>(state.step == at->step, where, " holds the state of step ", state.step, ".");
      return state;
    } catch (const Error& error) {
      last_problem = error.what();
      damaged(join(last_problem, " Going back to the checkpoint before it, if there is one."));
    }
  }
  require<Error>(checkpoints.empty(), last_problem, " No other checkpoint is left in '", directory.string(),
                 "'; remove the directory to start anew.");
  return std::nullopt;
}

}  // namespace dragoman::train
