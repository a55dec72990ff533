#include "dragoman/train/run.h"

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <utility>

#include "dragoman/base/files.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/training_loop.h"

namespace dragoman::train {

namespace {

// A directory that did not exist before the run. If the run fails before it writes anything there, for example because
// of a wrong text, the directory is removed again.
class NewDirectory {
 public:
  explicit NewDirectory(std::filesystem::path directory)
      : directory_(std::move(directory)), is_new_(!std::filesystem::exists(status_of(directory_))) {}
  ~NewDirectory() {
    if (!is_new_ || std::uncaught_exceptions() == exceptions_) return;
    ::rmdir((directory_ / "checkpoints").c_str());  // fails unless it is empty
    ::rmdir(directory_.c_str());
  }
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

 private:
  std::filesystem::path directory_;
  bool is_new_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace

RunResult run_training(const RunRequest& request, Watcher& watcher) {
  const NewDirectory directory(request.directory);
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
