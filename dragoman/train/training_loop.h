// The main loop of a training run: makes updates, and between them writes records, validates, saves checkpoints and
// publishes the model. With several ranks, this is the loop of rank 0.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/train/live_report.h"
#include "dragoman/train/prepared_run.h"
#include "dragoman/train/rank_rounds.h"
#include "dragoman/train/saver.h"

namespace dragoman::train {

class TrainingLoop {
 public:
  explicit TrainingLoop(PreparedRun& run) : run_(run), state_(run.state), rounds_(run), report_(run), saver_(run) {}

  // If it throws, the report says why.
  RunResult run();

 private:
  // An update that was started but not finished.
  struct UnderWay {
    data::Position first;  // of its first batch, for error messages
    double flops = 0;
  };

  RunResult run_to_end();
  std::optional<Ending> reason_to_end();
  void start_update();
  // Finishes updates, oldest first, until at most `most` are under way. Throws an Error if the loss of one is not
  // finite.
  void finish_updates(std::size_t most);
  // Adds to the time spent training.
  void add_time(double seconds);
  void record();
  // Writes a record to metrics.jsonl, and for TensorBoard.
  void write_record(const Json& record);
  void validate();
  // Saves a checkpoint, while training goes on if possible. It is not `scheduled` if it is made only because the run
  // was stopped; then the film gets no frame.
  void save(bool scheduled);
  void record_probe();
  void write_report(const std::string& failure = "");

  ProgressRecord progress() const;
  double sum_of_squares(const Array& values) const;
  // Throws the Error of a diverged run if the number is not finite. A checkpoint must not be saved then, because
  // nothing could resume from it.
  void require_finite(double number) const;

  PreparedRun& run_;
  RunState& state_;  // run_.state
  RankRounds rounds_;
  std::deque<UnderWay> under_way_;
  std::optional<double> gradient_norm_;  // of the last update
  std::vector<double> rank_rates_;       // as of the last record, see RankRounds::take_rank_rates()
  bool has_new_best_ = false;            // the last validation was the best, and its weights are not written yet
  SavingTimes saving_;
  std::optional<Ending> ending_;
  LiveReport report_;
  Saver saver_;
};

}  // namespace dragoman::train
