#include "dragoman/study/ablate/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <list>
#include <thread>

#include "dragoman/base/child_process.h"
#include "dragoman/base/clock.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/eval/tokenizers.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/study/ablate/estimate.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::study::ablate {
namespace {

namespace fs = std::filesystem;

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);  // at the processes
constexpr double kSecondsBetweenReports = 0.5;                 // reads the records of the runs
constexpr std::size_t kLongestMessage = 400;

// The last record of a run that is being trained.
struct LastRecord {
  std::int64_t step = 0;
  double seconds = 0;
};

LastRecord last_record(const RunFiles& files) {
  const fs::path metrics = files.model() / "metrics.jsonl";
  if (!fs::exists(status_of(metrics))) return {};
  const std::vector<train::ProgressRecord> records = train::read_metrics(metrics).progress;
  return records.empty() ? LastRecord{} : LastRecord{records.back().step, records.back().seconds};
}

// The updates of a trained model. The last record may be of an earlier step if a limit of minutes ended the run.
std::int64_t steps_of(const RunFiles& files) {
  const std::string where = "'" + files.model().string() + "'";
  return json_entry<std::int64_t>(parse_json(model::read_info(files.model()).provenance, where), "steps", where);
}

// What the process said last.
std::string last_message(const fs::path& messages, int status) {
  std::string last;
  for (const std::string& line : read_lines(messages)) {
    if (!line.empty()) last = line;
  }
  if (last.empty() || status > 128) {
    last = status > 128 ? join("signal ", status - 128, " ended it", last.empty() ? "" : " after '" + last + "'", ".")
                        : join("it ended with status ", status, " and no message.");
  }
  return train::shortened(last, kLongestMessage);
}

std::vector<std::string> training_arguments(const Task& task) {
  return {"dragoman", "train", "--model", task.files.model().string(), "--config", task.files.settings().string()};
}

// The search of the paper: a beam of 4 with alpha 0.6.
std::vector<std::string> evaluation_arguments(const Task& task, const TableFiles& files) {
  const train::RunSettings& run = task.settings.run;
  std::vector<std::string> arguments{"dragoman",
                                     "evaluate",
                                     "--model",
                                     task.files.model().string(),
                                     "--source",
                                     files.source().string(),
                                     "--reference",
                                     files.references().string(),
                                     "--output",
                                     task.files.hypotheses().string(),
                                     "--beam",
                                     "4",
                                     "--alpha",
                                     "0.6",
                                     "--json",
                                     "--tokenizer",
                                     write_value(eval::tokenization_for(task.settings.text.target_language)),
                                     "--device",
                                     write_value(run.device),
                                     "--threads",
                                     write_value(task.settings.machine.threads)};
  const bool is_single_on_gpu = run.device == DeviceChoice::kCuda && run.precision == train::TrainingPrecision::kFp32;
  if (is_single_on_gpu) arguments.insert(arguments.end(), {"--precision", "fp32"});
  return arguments;
}

class Jobs {
 public:
  Jobs(const std::vector<Task>& tasks, const JobOptions& options, Watcher& watcher)
      : tasks_(tasks), options_(options), watcher_(watcher) {
    for (const Task& task : tasks) {
      RunState& state = states_.emplace_back(RunState{.row = task.row,
                                                      .cost = task.cost,
                                                      .steps = task.settings.training.steps,
                                                      .minutes = task.settings.machine.minutes});
      const std::optional<RunResult> result = read_result(task.files);
      if (!result) continue;
      remove_leftovers(task.files);
      state.done = result->steps;
      state.seconds = result->training_seconds;
      state.evaluation_seconds = result->evaluation_seconds;
      state.is_over = true;
      ++finished_;
    }
  }

  JobsResult run() {
    if (finished_ > 0) {
      watcher_.say(fmt::format("{} of {} finished before", finished_, counted(std::ssize(tasks_), "run").text()));
    }
    while (start_more() || !running_.empty()) {
      std::this_thread::sleep_for(kBetweenLooks);
      if (watcher_.wants_stop()) return stop();
      for (auto at = running_.begin(); at != running_.end();) at = look_at(*at) ? std::next(at) : running_.erase(at);
      if (clock_seconds() - reported_ >= kSecondsBetweenReports) report();
    }
    report();
    return result_;
  }

 private:
  struct Running {
    std::size_t number;  // of the task
    ChildProcess process;
    bool is_evaluated = false;
    double began = 0;  // the evaluation
  };

  const Task& task(const Running& running) const { return tasks_[running.number]; }

  // Starts the next runs if there is room for them. Returns false if all have been started.
  bool start_more() {
    for (; next_ < tasks_.size(); ++next_) {
      if (states_[next_].is_over) continue;
      if (std::ssize(running_) >= options_.jobs) return true;
      start(next_);
    }
    return false;
  }

  void start(std::size_t number) {
    const Task& task = tasks_[number];
    make_directory(task.files.model());
    if (!model::has_tokenizers(task.files.model())) {
      model::write_tokenizers(task.files.model(), model::read_tokenizers(options_.files.vocabulary()),
                              task.settings.run.joint_vocabulary);
    }
    write_config_file(task.files.settings(), task.settings);
    running_.push_back({.number = number, .process = process(task, training_arguments(task))});
  }

  ChildProcess process(const Task& task, const std::vector<std::string>& arguments) const {
    return ChildProcess({.program = options_.program,
                         .arguments = arguments,
                         .output = task.files.evaluation(),
                         .messages = task.files.messages()});
  }

  // Goes on with a run whose process has ended. Returns false if the run is over.
  bool look_at(Running& running) {
    const std::optional<int> status = running.process.status();
    if (!status) return true;
    try {
      require<Error>(*status == 0, last_message(task(running).files.messages(), *status));
      if (!running.is_evaluated) {
        const std::size_t number = running.number;
        running_.push_back({.number = number,
                            .process = process(tasks_[number], evaluation_arguments(tasks_[number], options_.files)),
                            .is_evaluated = true,
                            .began = clock_seconds()});
        return false;
      }
      finish(running);
    } catch (const Error& error) {
      fail(running, error.what());
    }
    options_.changed(result_.failed);
    return false;
  }

  void finish(const Running& running) {
    const RunFiles& files = task(running).files;
    const std::string where = "'" + files.evaluation().string() + "'";
    const Json evaluation = parse_json(read_file(files.evaluation()), where);
    const Json references = json_entry<Json>(evaluation, "references", where);
    const RunResult result{.steps = steps_of(files),
                           .nll = json_entry<double>(references, "nll_per_subword", where),
                           .training_seconds = last_record(files).seconds,
                           .evaluation_seconds = clock_seconds() - running.began};
    finish_run(files, result);
    ++finished_;
    RunState& state = states_[running.number];
    state.done = result.steps;
    state.seconds = result.training_seconds;
    state.evaluation_seconds = result.evaluation_seconds;
    state.is_over = true;
    const Json bleu = json_entry<Json>(evaluation, "bleu", where);
    watcher_.say(fmt::format("{} with seed {}: PPL {:.2f}, BLEU {:.2f} after {} in {}", task(running).row,
                             task(running).seed, std::exp(result.nll), json_entry<double>(bleu, "score", where),
                             counted(result.steps, "step").text(), duration_text(result.training_seconds)));
  }

  void fail(const Running& running, const std::string& message) {
    states_[running.number].is_over = true;
    result_.failed.push_back({.row = task(running).row, .seed = task(running).seed, .message = message});
    watcher_.say(fmt::format("{} with seed {} failed: {}", task(running).row, task(running).seed, message));
  }

  void report() {
    reported_ = clock_seconds();
    Progress progress{.finished = finished_, .failed = std::ssize(result_.failed), .runs = std::ssize(tasks_)};
    for (const Running& running : running_) {
      RunState& state = states_[running.number];
      if (!running.is_evaluated) {
        const LastRecord last = last_record(task(running).files);
        state.done = last.step;
        state.seconds = last.seconds;
      }
      progress.under_way.push_back({.row = task(running).row,
                                    .seed = task(running).seed,
                                    .step = state.done,
                                    .steps = state.steps,
                                    .is_evaluated = running.is_evaluated});
    }
    progress.share = share_done(states_);
    if (!running_.empty()) progress.seconds_left = seconds_left(states_, options_.jobs);
    watcher_.progressed(progress);
  }

  JobsResult stop() {
    for (Running& running : running_) running.process.ask_to_end();
    for (Running& running : running_) {
      while (!running.process.status()) std::this_thread::sleep_for(kBetweenLooks);
    }
    result_.is_stopped = true;
    return result_;
  }

  const std::vector<Task>& tasks_;
  const JobOptions& options_;
  Watcher& watcher_;
  std::vector<RunState> states_;  // of the tasks
  std::list<Running> running_;
  std::size_t next_ = 0;  // the task to be started next
  std::int64_t finished_ = 0;
  double reported_ = 0;
  JobsResult result_;
};

}  // namespace

JobsResult run_tasks(const std::vector<Task>& tasks, const JobOptions& options, Watcher& watcher) {
  return Jobs(tasks, options, watcher).run();
}

}  // namespace dragoman::study::ablate
