#include "dragoman/cli/training_watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "dragoman/base/strings.h"
#include "dragoman/exchange/alone.h"

namespace dragoman::cli {
namespace {

std::string describe(const train::RunResult& result, const std::string& to_continue) {
  const std::string step = with_thousands(result.step);
  switch (result.ending) {
    case train::Ending::kAllSteps:
      if (result.step == result.first_step) {
        return fmt::format("nothing was trained: the run already has its {}", counted(result.step, "step").text());
      }
      return fmt::format("trained for {} in {}", counted(result.step, "step").text(), duration_text(result.seconds));
    case train::Ending::kMinutes: return fmt::format("stopped at step {}: the time limit is reached", step);
    case train::Ending::kPatience: return fmt::format("stopped at step {}: validation does not improve any more", step);
    case train::Ending::kStopped:
      if (result.step == 0) return "stopped before the first step";
      return fmt::format("stopped at step {}, which is saved; {}", step, to_continue);
  }
  return "";
}

class SilentWatcher final : public train::Watcher {
 public:
  void say(const std::string&) override {}
  void tokenised_pairs(std::int64_t) override {}
  void updated(const train::ProgressRecord&, std::int64_t) override {}
  void validated(const train::Validation&) override {}
  bool wants_stop() override { return stop_.was_made(); }

 private:
  StopRequest stop_;
};

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
  // The line begins with the first report, so the pairs before it do not count for the rate.
  line({.first = pairs, .unit = "pairs"}).show({.done = pairs, .total = 0, .text = "tokenising"});
}

void TrainingWatcher::updated(const train::ProgressRecord& progress, std::int64_t steps) {
  line({.first = progress.step - 1}).show({progress.step, steps, training_line(progress, steps)});
}

void TrainingWatcher::validated(const train::Validation& validation) {
  say(fmt::format("step {}: validation {}{}", with_thousands(validation.step), scores_text(validation.scores),
                  validation.best ? "  (the best so far)" : ""));
}

std::string scores_text(const train::Figures& scores) {
  std::string text;
  for (const auto& [name, value] : scores) {
    if (name == "nll") {
      text += fmt::format(", nll {:.4f}, ppl {:.2f}", value, std::exp(value));
    } else if (name == "bleu") {
      text += fmt::format(", BLEU {:.1f}", value);
    } else {
      text += fmt::format(", {} {:.4g}", name, value);
    }
  }
  return text.substr(std::min<std::size_t>(text.size(), 2));
}

train::RunResult watch_training(const train::RunRequest& request, const std::string& to_continue) {
  exchange::Alone alone;
  return watch_training(request, to_continue, alone);
}

void follow_training(const train::RunRequest& request, exchange::Exchange& exchange) {
  SilentWatcher watcher;
  train::run_training(request, watcher, exchange);
}

train::RunResult watch_training(const train::RunRequest& request, const std::string& to_continue,
                                exchange::Exchange& exchange) {
  TrainingWatcher watcher;
  const train::RunResult result = train::run_training(request, watcher, exchange);
  watcher.finish();
  watcher.say(describe(result, to_continue));
  // A signal of the last moment stops what would follow. It may also have reached another rank only.
  if (watcher.signal() != 0) throw Stopped{watcher.signal()};
  if (result.ending == train::Ending::kStopped) throw Stopped{SIGTERM};
  return result;
}

}  // namespace dragoman::cli
