#include "dragoman/cli/training_watcher.h"

#include <fmt/format.h>

#include <cmath>

#include "dragoman/base/strings.h"

namespace dragoman::cli {
namespace {

std::string describe(const train::RunResult& result) {
  const std::string step = with_thousands(result.step);
  switch (result.ending) {
    case train::Ending::kAllSteps: return fmt::format("trained for {} steps", step);
    case train::Ending::kMinutes: return fmt::format("stopped at step {}: the time limit is reached", step);
    case train::Ending::kPatience: return fmt::format("stopped at step {}: validation does not improve any more", step);
    case train::Ending::kStopped:
      if (result.step == 0) return "stopped before the first step";
      return fmt::format("stopped at step {}, which is saved; run the same command again to continue", step);
  }
  return "";
}

}  // namespace

ProgressLine& TrainingWatcher::line(const ProgressOptions& options) {
  if (!line_ || unit_ != options.unit) {
    finish();
    line_ = std::make_unique<ProgressLine>(options);
    unit_ = options.unit;
  }
  return *line_;
}

void TrainingWatcher::finish() {
  if (line_) line_->finish();
  line_.reset();
  unit_.clear();
}

void TrainingWatcher::say(const std::string& message) {
  if (!unit_.empty()) finish();  // a message ends a progress line that counts, such as "tokenising"
  if (line_) return line_->say(message);
  ProgressLine().say(message);
}

void TrainingWatcher::tokenised_pairs(std::int64_t pairs) {
  line({.unit = "pairs"}).show({.done = pairs, .total = 0, .text = "tokenising"});
}

void TrainingWatcher::updated(const train::ProgressRecord& progress, std::int64_t steps) {
  line({.first = progress.step - 1}).show({progress.step, steps, training_line(progress, steps)});
}

void TrainingWatcher::validated(const train::Validation& validation) {
  std::string scores;
  for (const auto& [name, value] : validation.scores) {
    if (name == "nll") {
      scores += fmt::format(", nll {:.4f}, ppl {:.2f}", value, std::exp(value));
    } else if (name == "bleu") {
      scores += fmt::format(", BLEU {:.1f}", value);
    } else {
      scores += fmt::format(", {} {:.4g}", name, value);
    }
  }
  say(fmt::format("step {}: validation {}{}", with_thousands(validation.step), scores.substr(2),
                  validation.best ? "  (the best so far)" : ""));
}

train::RunResult watch_training(const train::RunRequest& request) {
  TrainingWatcher watcher;
  const train::RunResult result = train::run_training(request, watcher);
  watcher.finish();
  watcher.say(describe(result));
  if (result.ending == train::Ending::kStopped) throw Stopped{watcher.signal()};
  return result;
}

}  // namespace dragoman::cli
