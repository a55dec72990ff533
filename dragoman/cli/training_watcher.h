// Shows a training run to the user: messages, a progress line, and validations.
#pragma once

#include <string>

#include "dragoman/cli/show/progress.h"
#include "dragoman/cli/signals.h"
#include "dragoman/train/run.h"

namespace dragoman::cli {

class TrainingWatcher : public train::Watcher {
 public:
  void say(const std::string& message) override;
  void tokenised_pairs(std::int64_t pairs) override;
  void updated(const train::ProgressRecord& progress, std::int64_t steps) override;
  void validated(const train::Validation& validation) override;
  bool wants_stop() override { return stop_.was_made(); }

  // Ends the progress line.
  void finish();
  int signal() const { return stop_.signal(); }

 private:
  ProgressLine& line(const ProgressOptions& options);

  StopRequest stop_;
  std::unique_ptr<ProgressLine> line_;
  std::string unit_;  // of the current progress line; empty for that of the updates
};

// "nll 2.1034, ppl 8.19, BLEU 24.6"
std::string scores_text(const train::Figures& scores);

// Runs the training and prints how it ended. Throws Stopped if a signal stopped it; `to_continue` says what to do then.
train::RunResult watch_training(const train::RunRequest& request,
                                const std::string& to_continue = "run the same command again to continue");
// The same for rank 0 of several processes.
train::RunResult watch_training(const train::RunRequest& request, const std::string& to_continue,
                                exchange::Exchange& exchange);
// Trains as one of the other ranks, which print nothing.
void follow_training(const train::RunRequest& request, exchange::Exchange& exchange);

}  // namespace dragoman::cli
